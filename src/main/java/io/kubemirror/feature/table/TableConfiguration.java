package io.kubemirror.feature.table;

import module java.base;

import io.kubemirror.model.ResourceType;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.DefinitionApi;
import io.kubemirror.source.Source.DefinitionApi.ResourceDefinition;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Lets the API answer tables. */
@Configuration(proxyBeanMethods = false)
class TableConfiguration {

    @Bean
    TableRendering tableRendering(Source sources, InstantSource clock, LongSupplier nanoTime) {
        return new TableRendering(
                new CustomTableFormats(type -> definition(sources, type), nanoTime), clock);
    }

    /** A source without definitions declares no columns. */
    private static Result<ResourceDefinition> definition(Source sources, ResourceType type) {
        return sources.of(type)
                .as(DefinitionApi.class)
                .map(definitions -> definitions.definition(type))
                .orElseGet(() -> Result.of(new ResourceDefinition(List.of())));
    }
}
