package io.kubemirror.app;

import static io.kubemirror.app.PropertyChecks.refuse;
import static io.kubemirror.app.PropertyChecks.requireAtLeast;

import module java.base;

import io.kubemirror.mirror.Window;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.util.unit.DataSize;

/**
 * Recent changes that each mirror keeps.
 *
 * @param minEvents Number of changes that are always kept, subject to max-bytes.
 * @param maxEvents Maximum number of changes.
 * @param span [KEY] Age up to which changes are kept, subject to the other limits.
 * @param maxBytes Maximum memory for the history of one mirror.
 */
public record HistoryProperties(
        @DefaultValue("100") int minEvents,
        @DefaultValue("102400") int maxEvents,
        @DefaultValue("75s") @DurationUnit(ChronoUnit.SECONDS) Duration span,
        @DefaultValue("64MB") DataSize maxBytes) {

    private static final String AT = "kubemirror.history.";

    /** Refuses limits that keep nothing. */
    public HistoryProperties {
        refuse(minEvents < 1, AT + "min-events", "is too small; use 1 or more");
        refuse(maxEvents < minEvents, AT + "max-events", "is below min-events");
        requireAtLeast(AT + "span", span, Duration.ZERO);
        refuse(maxBytes.toBytes() < 1, AT + "max-bytes", "is too small; use a size such as 64MB");
    }

    /** Returns the limits of a mirror's history. */
    Window window() {
        return new Window(minEvents, maxEvents, span, maxBytes.toBytes());
    }
}
