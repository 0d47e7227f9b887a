package io.kubemirror.feature.table;

import io.kubemirror.source.Source;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/** Lets the API answer tables. */
@Configuration(proxyBeanMethods = false)
class TableConfiguration {

    @Bean
    TableRendering tableRendering(Source api, InstantSource clock, LongSupplier nanoTime) {
        return new TableRendering(new CustomTableFormats(api::columns, nanoTime), clock);
    }
}
