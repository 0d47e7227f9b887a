package io.kubemirror.api.encode.table;

import tools.jackson.databind.JsonNode;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Durations as kubectl shows them: the shorter they are, the more exactly. */
final class HumanDuration {

    private static final long YEAR = 365;

    private HumanDuration() {}

    /** How long ago a time was, {@code <unknown>} for none. */
    static String since(JsonNode timestamp, Instant now) {
        return parse(timestamp.asString(""))
                .map(time -> of(Duration.between(time, now)))
                .orElse("<unknown>");
    }

    /** A time as objects have it; empty if it is none. */
    static Optional<Instant> parse(String timestamp) {
        try {
            return timestamp.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(timestamp));
        } catch (DateTimeException malformed) {
            return Optional.empty();
        }
    }

    /** A duration in at most two units; a second may be missing where clocks differ. */
    static String of(Duration duration) {
        // Go cuts towards zero, Java downwards.
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
