package io.kubemirror.feature.query;

import io.kubemirror.model.KubeObject.Span;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Finds a member in the stored JSON of an object without parsing what is beside it. The JSON has
 * been parsed before, so it is valid.
 *
 * <p>Rejected: Jackson's streaming parser. It decodes everything that it skips, and takes three
 * times as long for the status of a pod, which comes last.
 */
public final class MemberFinder {

    /** The member that comes last in the objects of Kubernetes. */
    private static final String LAST = "status";

    private final List<byte[]> names;
    private final boolean fromEnd;

    /** Creates a finder of the member of a member; at least one name. */
    public MemberFinder(List<String> names) {
        this.names = names.stream().map(name -> name.getBytes(StandardCharsets.UTF_8)).toList();
        this.fromEnd = names.indexOf(LAST) == 0;
    }

    /**
     * Returns the position of the value, null if there is none. Names that are written with escapes
     * are not found.
     *
     * @param start the position of the opening brace
     */
    public @Nullable Span find(byte[] json, int start) {
        int last = fromEnd && start == 0 ? lastMember(json, names.getFirst()) : -1;
        int position = last < 0 ? start : last;
        for (byte[] name : last < 0 ? names : names.subList(1, names.size())) {
            position = json[position] == '{' ? member(json, position + 1, name) : -1;
            if (position < 0) {
                return null;
            }
        }
        return new Span(position, afterValue(json, position));
    }

    /** Returns the position of the value of a member, -1 if there is none. */
    private static int member(byte[] json, int first, byte[] name) {
        int position = afterBlanks(json, first);
        while (json[position] == '"') {
            int end = afterText(json, position);
            int value = afterBlanks(json, afterBlanks(json, end) + 1);
            if (isNamed(json, position + 1, end - 1, name)) {
                return value;
            }
            position = afterBlanks(json, afterValue(json, value));
            if (json[position] == ',') {
                position = afterBlanks(json, position + 1);
            }
        }
        return -1;
    }

    /**
     * Returns the position of the value of the last member, -1 if it has another name. Reads
     * backward, so that the members before it, which are most of an object, are not read at all.
     */
    private static int lastMember(byte[] json, byte[] name) {
        int position = beforeBlanks(json, json.length - 1);
        int depth = 0;
        do {
            switch (json[position]) {
                case '"' -> position = beforeText(json, position) + 1;
                case '}', ']' -> depth++;
                case '{', '[' -> depth--;
                case ':' -> {
                    if (depth == 1) {
                        int quote = beforeBlanks(json, position - 1);
                        return isNamed(json, beforeText(json, quote) + 2, quote, name)
                                ? afterBlanks(json, position + 1)
                                : -1;
                    }
                }
                default -> {}
            }
            position--;
        } while (depth > 0);
        return -1;
    }

    private static boolean isNamed(byte[] json, int start, int end, byte[] name) {
        int length = end - start;
        if (length != name.length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (json[start + i] != name[i]) {
                return false;
            }
        }
        return true;
    }

    private static int afterBlanks(byte[] json, int from) {
        int position = from;
        while (json[position] >= 0 && json[position] <= ' ') {
            position++;
        }
        return position;
    }

    private static int afterText(byte[] json, int quote) {
        int position = quote + 1;
        while (json[position] != '"') {
            position += json[position] == '\\' ? 2 : 1;
        }
        return position + 1;
    }

    private static int beforeBlanks(byte[] json, int from) {
        int position = from;
        while (json[position] >= 0 && json[position] <= ' ') {
            position--;
        }
        return position;
    }

    /** Only the first quote of a text has no backslash before it. */
    private static int beforeText(byte[] json, int quote) {
        int position = quote - 1;
        while (json[position] != '"' || json[position - 1] == '\\') {
            position--;
        }
        return position - 1;
    }

    private static int afterValue(byte[] json, int start) {
        return switch (json[start]) {
            case '"' -> afterText(json, start);
            case '{', '[' -> afterNested(json, start);
            default -> afterLiteral(json, start);
        };
    }

    private static int afterNested(byte[] json, int start) {
        int depth = 0;
        int position = start;
        do {
            switch (json[position]) {
                case '"' -> position = afterText(json, position) - 1;
                case '{', '[' -> depth++;
                case '}', ']' -> depth--;
                default -> {}
            }
            position++;
        } while (depth > 0);
        return position;
    }

    private static int afterLiteral(byte[] json, int start) {
        int position = start;
        while (json[position] > ' '
                && json[position] != ','
                && json[position] != '}'
                && json[position] != ']') {
            position++;
        }
        return position;
    }
}
