package io.kubemirror.model;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Validates the keys and values of labels, with the API server's messages (list-watch.md#ls-10,
 * #ls-11).
 *
 * <p>Rejected: matching the regular expressions that the messages show. Java's matcher recurses for
 * each repetition of a group, so that a long key would overflow the stack.
 */
final class LabelSyntax {

    private static final int LONGEST_NAME = 63;
    private static final int LONGEST_PREFIX = 253;

    private static final String NAME_ALPHABET =
            "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with"
                    + " an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc',"
                    + " regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    private static final String PREFIX_ALPHABET =
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters,"
                    + " '-' or '.', and must start and end with an alphanumeric character (e.g."
                    + " 'example.com', regex used for validation is"
                    + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    private static final String VALUE_ALPHABET =
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_'"
                    + " or '.', and must start and end with an alphanumeric character (e.g."
                    + " 'MyValue',  or 'my_value',  or '12345', regex used for validation is"
                    + " '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

    private LabelSyntax() {}

    /** Returns the problems of a key, empty if it is valid. */
    static List<String> keyProblems(String key) {
        int slash = key.indexOf('/');
        if (slash < 0) {
            return nameProblems(key);
        }
        if (key.indexOf('/', slash + 1) >= 0) {
            return List.of(
                    "a valid label key "
                            + NAME_ALPHABET
                            + " with an optional DNS subdomain prefix and '/' (e.g."
                            + " 'example.com/MyName')");
        }
        List<String> problems = new ArrayList<>(prefixProblems(key.substring(0, slash)));
        problems.addAll(nameProblems(key.substring(slash + 1)));
        return problems;
    }

    private static List<String> prefixProblems(String prefix) {
        if (prefix.isEmpty()) {
            return List.of("prefix part must be non-empty");
        }
        List<String> problems = new ArrayList<>();
        if (isLonger(prefix, LONGEST_PREFIX)) {
            problems.add("prefix part must be no more than 253 bytes");
        }
        if (!isSubdomain(prefix)) {
            problems.add("prefix part " + PREFIX_ALPHABET);
        }
        return problems;
    }

    private static List<String> nameProblems(String name) {
        List<String> problems = new ArrayList<>();
        if (name.isEmpty()) {
            problems.add("name part must be non-empty");
        } else if (isLonger(name, LONGEST_NAME)) {
            problems.add("name part must be no more than 63 bytes");
        }
        if (!isName(name)) {
            problems.add("name part " + NAME_ALPHABET);
        }
        return problems;
    }

    /** Returns the problems of a value, empty if it is valid. */
    static List<String> valueProblems(String value) {
        List<String> problems = new ArrayList<>();
        if (isLonger(value, LONGEST_NAME)) {
            problems.add("must be no more than 63 bytes");
        }
        if (!value.isEmpty() && !isName(value)) {
            problems.add(VALUE_ALPHABET);
        }
        return problems;
    }

    private static boolean isLonger(String text, int bytes) {
        return text.getBytes(StandardCharsets.UTF_8).length > bytes;
    }

    private static boolean isName(String text) {
        return !text.isEmpty()
                && isAlphanumeric(text.charAt(0))
                && isAlphanumeric(text.charAt(text.length() - 1))
                && text.chars()
                        .allMatch(c -> isAlphanumeric(c) || c == '-' || c == '_' || c == '.');
    }

    private static boolean isSubdomain(String text) {
        for (String part : text.split("\\.", -1)) {
            if (!isName(part) || !part.chars().allMatch(LabelSyntax::isInDomain)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isInDomain(int c) {
        return c == '-' || (isAlphanumeric(c) && !(c >= 'A' && c <= 'Z'));
    }

    private static boolean isAlphanumeric(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
}
