package io.kubemirror.api.http;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The media ranges of an {@code Accept} header in descending order of preference
 * (list-watch.md#ne-1, #ne-3).
 *
 * @param ranges the media ranges, at least one
 */
public record Accept(List<MediaRange> ranges) {

    private static final String JSON = "application/json";

    private static final Comparator<MediaRange> PREFERENCE =
            Comparator.comparingDouble(MediaRange::quality)
                    .reversed()
                    .thenComparingInt(MediaRange::wildcards);

    /** Copies the list. */
    public Accept {
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

    /** Returns the media ranges of JSON as the value of a header, plain JSON if there are none. */
    public String json() {
        String json =
                ranges.stream()
                        .filter(range -> range.name().equals(JSON))
                        .map(MediaRange::text)
                        .collect(Collectors.joining(","));
        return json.isEmpty() ? JSON : json;
    }

    /** Returns the preferred media range among those that match. */
    Optional<MediaRange> first(Predicate<MediaRange> fits) {
        return ranges.stream().filter(fits).findFirst();
    }

    /**
     * One media range of an {@code Accept} header.
     *
     * @param text the range as it was sent
     * @param type the part before the slash
     * @param subtype the part after the slash
     * @param parameters all parameters except {@code q}
     * @param quality the preference, 1 by default and if malformed (list-watch.md#ne-3)
     */
    public record MediaRange(
            String text,
            String type,
            String subtype,
            Map<String, String> parameters,
            double quality) {

        public static MediaRange parse(String clause) {
            String[] parts = clause.split(";", -1);
            String[] types = parts[0].trim().split("/", 2);
            Map<String, String> parameters = new HashMap<>();
            for (int i = 1; i < parts.length; i++) {
                String[] pair = parts[i].split("=", 2);
                parameters.put(pair[0].trim(), pair.length == 2 ? pair[1].trim() : "");
            }
            double quality = parseQuality(parameters.remove("q"));
            return new MediaRange(
                    clause,
                    types[0],
                    types.length == 2 ? types[1] : types[0].equals("*") ? "*" : "",
                    Map.copyOf(parameters),
                    quality);
        }

        /** Whether the range covers a media type. Names are case-sensitive (list-watch.md#ne-2). */
        boolean covers(String mediaType) {
            return wildcards() == 2
                    || mediaType.equals(name())
                    || (wildcards() == 1 && mediaType.startsWith(type + "/"));
        }

        /** Returns the media type, without parameters. */
        public String name() {
            return type + "/" + subtype;
        }

        /** Returns 0 for a media type, 1 for any subtype, 2 for any type. */
        int wildcards() {
            return type.equals("*") ? 2 : subtype.equals("*") ? 1 : 0;
        }

        /** Returns a parameter, empty if absent. */
        String parameter(String name) {
            return parameters.getOrDefault(name, "");
        }

        private static double parseQuality(@Nullable String text) {
            try {
                return text == null ? 1 : Double.parseDouble(text);
            } catch (NumberFormatException malformed) {
                return 1;
            }
        }
    }
}
