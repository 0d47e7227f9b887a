package io.kubemirror.api.http;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/**
 * One media range of an {@code Accept} header.
 *
 * @param type the part before the slash
 * @param subtype the part after the slash
 * @param parameters all parameters except {@code q}
 * @param quality the preference, 1 by default and if malformed (list-watch.md#ne-3)
 */
public record MediaRange(
        String type, String subtype, Map<String, String> parameters, double quality) {

    public static MediaRange parse(String clause) {
        String[] parts = clause.split(";", -1);
        String[] types = parts[0].trim().split("/", 2);
        Map<String, String> parameters = new HashMap<>();
        for (int i = 1; i < parts.length; i++) {
            String[] pair = parts[i].split("=", 2);
            parameters.put(pair[0].trim(), pair.length == 2 ? pair[1].trim() : "");
        }
        double quality = quality(parameters.remove("q"));
        return new MediaRange(
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
    String name() {
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

    private static double quality(@Nullable String text) {
        try {
            return text == null ? 1 : Double.parseDouble(text);
        } catch (NumberFormatException malformed) {
            return 1;
        }
    }
}
