package io.kubemirror.app.config;

import module java.base;

import io.kubemirror.model.DurationRange;

import org.springframework.boot.context.properties.ConfigurationPropertiesBinding;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.convert.converter.Converter;
import org.springframework.stereotype.Component;

/**
 * Reads ranges such as {@code 5m..10m}, and single durations; numbers without a unit are seconds.
 */
@Component
@ConfigurationPropertiesBinding
public final class DurationRangeConverter implements Converter<String, DurationRange> {

    private static final String TO = "..";

    @Override
    public DurationRange convert(String text) {
        int to = text.indexOf(TO);
        Duration shortest = duration(to < 0 ? text : text.substring(0, to));
        return new DurationRange(
                shortest, to < 0 ? shortest : duration(text.substring(to + TO.length())));
    }

    private static Duration duration(String text) {
        return DurationStyle.detectAndParse(text.strip(), ChronoUnit.SECONDS);
    }
}
