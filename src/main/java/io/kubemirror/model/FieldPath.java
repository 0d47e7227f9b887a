package io.kubemirror.model;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The way to a member inside an object: {@code spec.nodeName} or {@code
 * metadata.annotations['example.com/name']}.
 *
 * @param segments the member names from the outside in, at least one
 */
public record FieldPath(List<String> segments) {

    private static final Pattern SEGMENT =
            Pattern.compile("\\G(?:(?:^|\\.)([^.\\[\\]']+)|\\['([^']+)'\\])");

    /** Copies the segments. */
    public FieldPath {
        segments = List.copyOf(segments);
    }

    /**
     * Reads a path; a leading dot is allowed, as in a JSONPath.
     *
     * @throws IllegalArgumentException if the text is not a path
     */
    public static FieldPath parse(String text) {
        String path = text.startsWith(".") ? text.substring(1) : text;
        List<String> segments = new ArrayList<>();
        Matcher matcher = SEGMENT.matcher(path);
        int end = 0;
        while (matcher.find()) {
            String plain = matcher.group(1);
            segments.add(plain != null ? plain : matcher.group(2));
            end = matcher.end();
        }
        if (segments.isEmpty() || end != path.length()) {
            throw new IllegalArgumentException(
                    "'"
                            + text
                            + "' is not a field path, such as spec.nodeName or"
                            + " metadata.annotations['example.com/name']");
        }
        return new FieldPath(segments);
    }
}
