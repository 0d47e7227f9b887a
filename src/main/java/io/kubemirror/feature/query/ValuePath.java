package io.kubemirror.feature.query;

import module java.base;

import io.kubemirror.api.http.JsonPath;
import io.kubemirror.model.KubeObject;

import org.jspecify.annotations.Nullable;

/**
 * A value that every object of a type may have, by which lists are sorted or counted: a selectable
 * field, a label, or the first value of a JSONPath (list-watch.md#or-2).
 *
 * <p>Immutable, and safe for use by any thread.
 */
final class ValuePath {

    /** The maximum length of an expression, in characters. */
    private static final int MAX_LENGTH = 512;

    private final String text;
    private final boolean inMetadata;
    private final Function<KubeObject, @Nullable String> reader;

    private ValuePath(
            String text, boolean inMetadata, Function<KubeObject, @Nullable String> reader) {
        this.text = text;
        this.inMetadata = inMetadata;
        this.reader = reader;
    }

    /**
     * Parses an expression: {@code status.phase}, {@code .status.phase}, or {@code
     * {.status.phase}}, as kubectl does for {@code --sort-by}.
     *
     * @throws IllegalArgumentException if the text is not a JSONPath
     */
    static ValuePath parse(String text) {
        String bare = bare(text);
        return switch (bare) {
            case "metadata.name" -> new ValuePath(bare, true, object -> object.key().name());
            case "metadata.namespace" ->
                    new ValuePath(bare, true, object -> object.key().namespace());
            case "metadata.uid" -> new ValuePath(bare, true, KubeObject::uid);
            case "metadata.resourceVersion" ->
                    new ValuePath(bare, true, object -> object.revision().digits());
            default -> inJson(bare);
        };
    }

    private static String bare(String text) {
        boolean braces = text.startsWith("{") && text.endsWith("}");
        String inner = braces ? text.substring(1, text.length() - 1) : text;
        String rest = inner.startsWith("$") ? inner.substring(1) : inner;
        String bare = rest.startsWith(".") && !rest.startsWith("..") ? rest.substring(1) : rest;
        if (bare.isEmpty() || text.length() > MAX_LENGTH || bare.matches(".*[{}].*|[^\\[]*,.*")) {
            throw new IllegalArgumentException(
                    "a path has 1 to "
                            + MAX_LENGTH
                            + " characters, no braces and no commas, such as status.startTime");
        }
        return bare;
    }

    private static ValuePath inJson(String bare) {
        if (bare.split("\\.\\.", -1).length > 2) {
            throw new IllegalArgumentException(
                    "a path has \"..\" once at most, because each multiplies the time to read it");
        }
        boolean begun = bare.startsWith("[") || bare.startsWith("..");
        JsonPath path = JsonPath.strict(begun ? bare : "." + bare);
        List<String> members = path.members();
        boolean inMetadata = !members.isEmpty() && members.getFirst().equals("metadata");
        boolean simple = members.size() == path.steps().size();
        if (simple && members.size() == 3 && inMetadata && members.get(1).equals("labels")) {
            String label = members.get(2);
            return new ValuePath(bare, true, object -> object.labels().get(label));
        }
        return new ValuePath(
                bare,
                inMetadata,
                object -> {
                    String selectable = object.fields().get(bare);
                    boolean isKnown = selectable != null && !selectable.isEmpty();
                    return isKnown ? selectable : path.text(object.json());
                });
    }

    /**
     * Returns the text of the value, null if there is none: a string as it is, a number or a truth
     * value as its JSON. Objects and arrays are no values.
     */
    @Nullable String of(KubeObject object) {
        return reader.apply(object);
    }

    /** Returns whether objects of which only the metadata is mirrored have the value. */
    boolean isInMetadata() {
        return inMetadata;
    }

    /** Returns the expression; two with the same text have the same values in a mirror. */
    @Override
    public String toString() {
        return text;
    }
}
