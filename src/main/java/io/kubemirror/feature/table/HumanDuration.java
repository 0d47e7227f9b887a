package io.kubemirror.feature.table;

import tools.jackson.databind.JsonNode;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Formats durations as kubectl does. Shorter durations are shown more precisely. */
final class HumanDuration {

    private static final long YEAR = 365;

    private HumanDuration() {}

    /** Formats the time since a timestamp, {@code <unknown>} for none. */
    static String since(JsonNode timestamp, Instant now) {
        return parse(timestamp.asString(""))
                .map(time -> of(Duration.between(time, now)))
                .orElse("<unknown>");
    }

    /** Parses a timestamp of an object; empty if it is invalid. */
    static Optional<Instant> parse(String timestamp) {
        try {
            return timestamp.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(timestamp));
        } catch (DateTimeException malformed) {
            return Optional.empty();
        }
    }

    /**
     * Formats a duration with at most two units. A duration down to minus one second counts as
     * zero, because clocks may differ.
     */
    static String of(Duration duration) {
        // Go rounds toward zero, whereas Java rounds down.
        long seconds = duration.toMillis() / 1000;
        if (seconds < -1) {
            return "<invalid>";
        }
        long minutes = seconds / 60;
        long hours = minutes / 60;
        if (minutes < 2) {
            return Math.max(0, seconds) + "s";
        }
        if (hours < 8) {
            return minutes < 10
                    ? two(minutes, "m", seconds % 60, "s")
                    : hours < 3 ? minutes + "m" : two(hours, "h", minutes % 60, "m");
        }
        return hours < 48 ? hours + "h" : ofDays(hours / 24, hours % 24);
    }

    private static String ofDays(long days, long hours) {
        if (days < 8) {
            return two(days, "d", hours, "h");
        }
        long years = days / YEAR;
        if (years < 2) {
            return days + "d";
        }
        return years < 8 ? two(years, "y", days % YEAR, "d") : years + "y";
    }

    private static String two(long first, String unit, long second, String smallerUnit) {
        return first + unit + (second == 0 ? "" : second + smallerUnit);
    }
}
