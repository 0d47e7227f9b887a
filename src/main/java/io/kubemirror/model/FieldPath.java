package io.kubemirror.model;

import module java.base;

/**
 * The path to a member inside an object: {@code spec.nodeName} or {@code
 * metadata.annotations['example.com/name']}.
 *
 * @param segments the member names from the outside in, at least one, none of them empty
 */
public record FieldPath(List<String> segments) {

    private static final String PLAIN = "[-A-Za-z0-9_]+";

    private static final Pattern SEGMENT =
            Pattern.compile("\\G(?:\\.(?<plain>" + PLAIN + ")|\\['(?<quoted>[^']+)'\\])");

    /**
     * Copies the segments.
     *
     * @throws IllegalArgumentException if there is none or one is empty
     */
    public FieldPath {
        segments = List.copyOf(segments);
        if (segments.isEmpty() || segments.contains("")) {
            throw new IllegalArgumentException("a field path has segments, none of them empty");
        }
    }

    /**
     * Parses a path. A leading dot is allowed, as in a JSONPath. Names with characters other than
     * letters, digits, {@code -}, and {@code _} need quotes in brackets.
     *
     * @throws IllegalArgumentException if the text is not a path
     */
    public static FieldPath parse(String text) {
        String path = text.startsWith(".") || text.startsWith("[") ? text : "." + text;
        List<String> segments = new ArrayList<>();
        Matcher matcher = SEGMENT.matcher(path);
        int end = 0;
        while (matcher.find()) {
            String plain = matcher.group("plain");
            segments.add(plain != null ? plain : matcher.group("quoted"));
            end = matcher.end();
        }
        if (end == 0 || end != path.length()) {
            throw new IllegalArgumentException(
                    ("'%s' is not a field path, such as spec.nodeName or"
                                    + " metadata.annotations['example.com/name']")
                            .formatted(text));
        }
        return new FieldPath(segments);
    }

    /** Returns whether the other is the same member, or a part of it. */
    public boolean contains(FieldPath other) {
        return segments.size() <= other.segments.size()
                && segments.equals(other.segments.subList(0, segments.size()));
    }

    /** Returns whether one is the same member as the other, or a part of it. */
    public boolean overlaps(FieldPath other) {
        return contains(other) || other.contains(this);
    }

    /** Returns the path in the form that {@link #parse} accepts, without a leading dot. */
    @Override
    public String toString() {
        String text =
                segments.stream()
                        .map(name -> name.matches(PLAIN) ? "." + name : "['" + name + "']")
                        .collect(Collectors.joining());
        return text.startsWith(".") ? text.substring(1) : text;
    }
}
