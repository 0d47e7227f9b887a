package io.kubemirror.feature.redact;

import module java.base;

import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.read.ReadPolicy.HiddenFields;
import io.kubemirror.app.config.CurrentProperties;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Hides in answers of the API server what mirrors hide. */
@Configuration(proxyBeanMethods = false)
class RedactConfiguration {

    private static final Logger log = LoggerFactory.getLogger(RedactConfiguration.class);

    @Bean
    HiddenFields hiddenFields(
            CurrentProperties current, SecretKey secret, RequestTracker requests) {
        Supplier<HiddenResources> hidden =
                current.part(records -> HiddenResources.of(records, secret));
        current.listen(
                all -> all.get(RedactProperties.class),
                (_, _) -> {
                    if (!hidden.get().parts().isEmpty()) {
                        endPassed(requests.guarded().keySet());
                    }
                });
        return (group, plural) -> hidden.get().of(group, plural);
    }

    /** A watch that was passed on may show what is hidden now. Its client repeats it. */
    private static void endPassed(Set<Runnable> endings) {
        if (!endings.isEmpty()) {
            log.info(
                    "Ending {} requests that are passed on: other fields may be hidden now",
                    endings.size());
            endings.forEach(Runnable::run);
        }
    }
}
