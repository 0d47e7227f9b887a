package io.kubemirror.feature.redact;

import module java.base;

import io.kubemirror.api.read.ReadPolicy.HiddenFields;
import io.kubemirror.app.config.CurrentProperties;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Hides in answers of the API server what mirrors hide. */
@Configuration(proxyBeanMethods = false)
class RedactConfiguration {

    @Bean
    HiddenFields hiddenFields(CurrentProperties current, SecretKey secret) {
        Supplier<HiddenResources> hidden =
                current.part(records -> HiddenResources.of(records, secret));
        return (group, plural) -> hidden.get().of(group, plural);
    }
}
