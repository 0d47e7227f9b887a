package io.kubemirror.app.config;

import module java.base;

import org.springframework.boot.context.properties.source.ConfigurationProperty;

/** Thrown for a name at or below {@code kubemirror} that has no effect. */
final class UnknownPropertyException extends RuntimeException {

    @Serial private static final long serialVersionUID = 1;

    private final transient ConfigurationProperty property;
    private final String remedy;

    UnknownPropertyException(ConfigurationProperty property, String problem, String remedy) {
        super(problem);
        this.property = property;
        this.remedy = remedy;
    }

    ConfigurationProperty property() {
        return property;
    }

    String remedy() {
        return remedy;
    }
}
