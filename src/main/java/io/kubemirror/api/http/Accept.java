package io.kubemirror.api.http;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The media ranges of an {@code Accept} header in descending order of preference
 * (list-watch.md#ne-1, #ne-3).
 *
 * @param ranges the media ranges, at least one
 */
record Accept(List<MediaRange> ranges) {

    private static final Comparator<MediaRange> PREFERENCE =
            Comparator.comparingDouble(MediaRange::quality)
                    .reversed()
                    .thenComparingInt(MediaRange::wildcards);

    /** Copies the list. */
    Accept {
        ranges = List.copyOf(ranges);
    }

    /**
     * Parses a header.
     *
     * @param header the header, null or blank for a client that accepts any media type
     */
    static Accept parse(@Nullable String header) {
        String text = header == null || header.isBlank() ? "*/*" : header;
        return new Accept(
                Arrays.stream(text.split(",", -1))
                        .map(MediaRange::parse)
                        .sorted(PREFERENCE)
                        .toList());
    }

    /** Returns the preferred media range among those that match. */
    Optional<MediaRange> first(Predicate<MediaRange> fits) {
        return ranges.stream().filter(fits).findFirst();
    }
}
