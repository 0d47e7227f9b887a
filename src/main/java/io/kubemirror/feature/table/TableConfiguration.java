package io.kubemirror.feature.table;

import module java.base;

import io.kubemirror.source.Source;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Lets the API answer tables. */
@Configuration(proxyBeanMethods = false)
class TableConfiguration {

    @Bean
    TableRendering tableRendering(Source sources, InstantSource clock, LongSupplier nanoTime) {
        return new TableRendering(new CustomTableFormats(sources::definition, nanoTime), clock);
    }
}
