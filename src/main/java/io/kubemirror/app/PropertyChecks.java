package io.kubemirror.app;

import module java.base;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Refuses values of properties, which Boot then reports with the place of the value. */
final class PropertyChecks {

    private PropertyChecks() {}

    /**
     * Refuses a property.
     *
     * @param wrong whether it has to be refused
     * @param property its name, from {@code kubemirror} on
     * @param problemAndRemedy why, and what to do
     */
    static void refuse(boolean wrong, String property, String problemAndRemedy) {
        if (wrong) {
            throw new InvalidConfigurationPropertyValueException(property, null, problemAndRemedy);
        }
    }

    /** Refuses a time that is shorter than another one. */
    static void requireAtLeast(String property, Duration value, Duration shortest) {
        refuse(
                value.compareTo(shortest) < 0,
                property,
                "is too short; use %d ms or more".formatted(shortest.toMillis()));
    }
}
