package io.kubemirror.app.config;

import module java.base;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBinding;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.convert.converter.GenericConverter;
import org.springframework.stereotype.Component;

/** An element of a list of resources, which may be written as the name of the resource alone. */
public interface ResourceElement {

    /** What is wrong with an element without a name. */
    String MISSING = "is missing; set it, for example to pods";

    /**
     * Returns the name of the resource. Every record binds it, because Boot ends a list with the
     * first element of which it binds nothing.
     */
    String resource();

    /** Reads a resource without settings of its own, such as {@code - pods} in a list. */
    @Component
    @ConfigurationPropertiesBinding
    final class Converter implements GenericConverter {

        @Override
        public Set<ConvertiblePair> getConvertibleTypes() {
            return Set.of(new ConvertiblePair(String.class, ResourceElement.class));
        }

        @Override
        public Object convert(@Nullable Object name, TypeDescriptor from, TypeDescriptor to) {
            Map<String, String> one = Map.of("one.resource", String.valueOf(name));
            return new Binder(new MapConfigurationPropertySource(one))
                    .bindOrCreate("one", to.getType());
        }
    }
}
