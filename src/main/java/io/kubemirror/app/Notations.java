package io.kubemirror.app;

import module java.base;

import io.kubemirror.api.http.FieldSelectorParser;
import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.model.DurationRange;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.SelectableFields.SelectableField;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBinding;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.convert.converter.GenericConverter;
import org.springframework.stereotype.Component;

/** Reads values that have a notation of their own: selectors, paths, and ranges of durations. */
@Component
@ConfigurationPropertiesBinding
public final class Notations implements GenericConverter {

    private static final Map<Class<?>, Notation> ALL =
            Map.of(
                    DurationRange.class, Notations::range,
                    FieldPath.class, FieldPath::parse,
                    SelectableField.class, SelectableField::at,
                    LabelSelector.class, LabelSelectorParser::parse,
                    FieldSelector.class, FieldSelectorParser::parse);

    private static final String TO = "..";

    private interface Notation {
        Object parse(String text) throws Rejection;
    }

    @Override
    public Set<ConvertiblePair> getConvertibleTypes() {
        return ALL.keySet().stream()
                .map(type -> new ConvertiblePair(String.class, type))
                .collect(Collectors.toSet());
    }

    @Override
    public @Nullable Object convert(
            @Nullable Object text, TypeDescriptor from, TypeDescriptor target) {
        try {
            return text == null
                    ? null
                    : Objects.requireNonNull(ALL.get(target.getType())).parse((String) text);
        } catch (Rejection rejected) {
            throw new IllegalArgumentException(rejected.getMessage(), rejected);
        }
    }

    /** Such as {@code 5m..10m}, or a single duration; numbers without a unit are seconds. */
    private static DurationRange range(String text) {
        int to = text.indexOf(TO);
        Duration shortest = duration(to < 0 ? text : text.substring(0, to));
        return new DurationRange(
                shortest, to < 0 ? shortest : duration(text.substring(to + TO.length())));
    }

    private static Duration duration(String text) {
        return DurationStyle.detectAndParse(text.strip(), ChronoUnit.SECONDS);
    }
}
