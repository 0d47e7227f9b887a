package io.kubemirror.app;

import module java.base;

import io.kubemirror.mirror.Window;

import jakarta.validation.constraints.Min;

import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.util.unit.DataSize;

/**
 * Recent changes that each mirror keeps.
 *
 * @param minEvents Number of changes that are always kept, subject to max-bytes.
 * @param maxEvents Maximum number of changes.
 * @param span [KEY] Age up to which changes are kept, subject to the other limits.
 * @param maxBytes Maximum memory for objects that only the history of one mirror refers to. All
 *     mirrors together also draw from kubemirror.memory.limit.
 */
public record HistoryProperties(
        @DefaultValue("100") @Min(value = 1, message = TOO_FEW) int minEvents,
        @DefaultValue("102400") @Min(value = 1, message = TOO_FEW) int maxEvents,
        @DefaultValue("75s") @DurationUnit(ChronoUnit.SECONDS) @DurationMin(message = NEGATIVE_SPAN)
                Duration span,
        @DefaultValue("64MB") DataSize maxBytes) {

    /**
     * Returns the limits of a mirror's history.
     *
     * @param at the name of these properties, for messages
     */
    Window window(String at) {
        if (maxEvents < minEvents) {
            throw new InvalidConfigurationPropertyValueException(
                    at + ".max-events",
                    maxEvents,
                    "%d is below min-events; use %d or more".formatted(maxEvents, minEvents));
        }
        if (maxBytes.toBytes() < 1) {
            throw new InvalidConfigurationPropertyValueException(
                    at + ".max-bytes", maxBytes, "is too small; use a size such as 64MB");
        }
        return new Window(minEvents, maxEvents, span, maxBytes.toBytes());
    }

    private static final String NEGATIVE_SPAN = "is negative; use a duration such as 75s";

    private static final String TOO_FEW = "is too small; use 1 or more";
}
