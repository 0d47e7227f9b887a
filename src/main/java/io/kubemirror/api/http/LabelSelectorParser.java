package io.kubemirror.api.http;

import module java.base;

import io.kubemirror.model.GoString;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.LabelSelector.Requirement;

/**
 * Parses a label selector by recursive descent and validates its keys and values, as the API server
 * does, so that it fails at the same token with the same message (list-watch.md#ls-6 to #ls-10).
 */
public final class LabelSelectorParser {

    /**
     * A token: an operator, a word, or nothing at the end of the selector.
     *
     * <p>All characters with a meaning are ASCII, so {@code char}s are equivalent to the API
     * server's bytes. A zero character behaves as it does there: it ends the token before it, and
     * the whole selector if there is none.
     */
    private static final Pattern TOKEN =
            Pattern.compile("\\G[ \t\r\n]*+(==|!=|[=!(),<>]|[^ \t\r\n=!(),<>\0]*+)\0?");

    private static final String OPERATORS = "=!(),<>";

    private static final int MAX_NAME = 63;
    private static final int MAX_PREFIX = 253;

    /**
     * The alphabets of names, and of the parts of a prefix.
     *
     * <p>Rejected: the regular expressions that the messages show. Java's matcher recurses for each
     * repetition of a group, so that a long key would overflow the stack.
     */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?");

    private static final Pattern PREFIX_PART = Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?");

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

    /** The token at the end of the selector, and after it. */
    private static final String END = "";

    private final Matcher tokens;

    /** The next token. */
    private String ahead;

    private LabelSelectorParser(String text) {
        tokens = TOKEN.matcher(text);
        ahead = next(tokens);
    }

    private static String next(Matcher tokens) {
        return tokens.find() && tokens.group(1) != null ? tokens.group(1) : END;
    }

    private boolean isAhead(String token) {
        return ahead.equals(token);
    }

    private String take() {
        String taken = ahead;
        ahead = next(tokens);
        return taken;
    }

    /**
     * Parses a selector; an empty or blank one selects everything.
     *
     * @param text the selector, decoded
     * @throws Rejection with the API server's message if the text is not a selector
     */
    public static LabelSelector parse(String text) throws Rejection {
        return text.isEmpty()
                ? LabelSelector.everything()
                : new LabelSelector(text, List.copyOf(new LabelSelectorParser(text).selector()));
    }

    /** Returns the distinct requirements of the selector. */
    private Set<Requirement> selector() throws Rejection {
        Set<Requirement> requirements = new LinkedHashSet<>();
        if (isAhead(END)) {
            return requirements;
        }
        demandRequirement(", expected: !, identifier, or 'end of string'");
        requirements.add(requirement());
        while (!isAhead(END)) {
            String comma = take();
            if (!comma.equals(",")) {
                throw Rejection.badRequest(found(comma, ", expected: ',' or 'end of string'"));
            }
            demandRequirement(", expected: identifier after ','");
            requirements.add(requirement());
        }
        return requirements;
    }

    private void demandRequirement(String expected) throws Rejection {
        if (!isIdentifier(ahead) && !isAhead("!")) {
            throw Rejection.badRequest(found(ahead, expected));
        }
    }

    private Requirement requirement() throws Rejection {
        if (isAhead("!")) {
            take();
            return new Requirement.Absent(key());
        }
        String key = key();
        return isAhead(END) || isAhead(",") ? new Requirement.Exists(key) : comparison(key);
    }

    private String key() throws Rejection {
        String key = identifier(", expected: identifier");
        List<String> problems = keyProblems(key);
        if (!problems.isEmpty()) {
            throw malformed("<nil>: " + invalid(key, problems));
        }
        return key;
    }

    private Requirement comparison(String key) throws Rejection {
        String operator = take();
        return switch (operator) {
            case "=", "==" -> new Requirement.In(key, checked(key, Set.of(value())));
            case "!=" -> new Requirement.NotIn(key, checked(key, Set.of(value())));
            case "in" -> new Requirement.In(key, checked(key, values()));
            case "notin" -> new Requirement.NotIn(key, checked(key, values()));
            case ">" -> new Requirement.Above(key, bound(key, value()));
            case "<" -> new Requirement.Below(key, bound(key, value()));
            default -> throw malformed(found(operator, ", expected: in, notin, =, ==, !=, gt, lt"));
        };
    }

    /** Parses the value after an operator, which may be empty. */
    private String value() throws Rejection {
        return isAhead(END) || isAhead(",") ? "" : identifier(", expected: identifier");
    }

    /** Parses the values in parentheses. Two adjacent commas enclose the empty value. */
    private Set<String> values() throws Rejection {
        skip("(", " expected: '('");
        Set<String> values = new TreeSet<>(GoString::compare);
        values.add(element(", expected: ',', ')' or identifier"));
        while (!isAhead(")")) {
            skip(",", ", expected: ',' or ')'");
            values.add(element(", expected: ',', or identifier"));
        }
        take();
        return values;
    }

    private String element(String expected) throws Rejection {
        return isAhead(",") || isAhead(")") ? "" : identifier(expected);
    }

    private String identifier(String expected) throws Rejection {
        String token = take();
        if (!isIdentifier(token)) {
            throw malformed(found(token, expected));
        }
        return token;
    }

    private void skip(String token, String expected) throws Rejection {
        String taken = take();
        if (!taken.equals(token)) {
            throw malformed(found(taken, expected));
        }
    }

    /** Returns whether a token can be a key or a value; operators made of letters can. */
    private static boolean isIdentifier(String token) {
        return !token.equals(END) && OPERATORS.indexOf(token.charAt(0)) < 0;
    }

    private static long bound(String key, String value) throws Rejection {
        List<String> problems = new ArrayList<>();
        if (!GoString.isInt64(value)) {
            String why = "for 'Gt', 'Lt' operators, the value must be an integer";
            problems.add("values[0]: " + invalid(value, List.of(why)));
        }
        checked(key, Set.of(value), problems);
        return Long.parseLong(value);
    }

    private static Set<String> checked(String key, Set<String> values) throws Rejection {
        return checked(key, values, new ArrayList<>());
    }

    /** Adds the problems of the values, each identified by its index in their byte order. */
    private static Set<String> checked(String key, Set<String> values, List<String> problems)
            throws Rejection {
        int index = 0;
        for (String value : values) {
            List<String> own = valueProblems(value);
            if (!own.isEmpty()) {
                problems.add("values[%d][%s]: %s".formatted(index, key, invalid(value, own)));
            }
            index++;
        }
        if (!problems.isEmpty()) {
            String all = String.join(", ", problems);
            throw malformed(problems.size() == 1 ? all : "[" + all + "]");
        }
        return values;
    }

    private static String invalid(String value, List<String> problems) {
        return "Invalid value: " + GoString.quote(value) + ": " + String.join("; ", problems);
    }

    private static String found(String token, String expected) {
        return "found '" + token + "'" + expected;
    }

    private static Rejection malformed(String why) {
        return Rejection.badRequest("unable to parse requirement: " + why);
    }

    /** Returns the problems of a key, empty if it is valid (list-watch.md#ls-10). */
    private static List<String> keyProblems(String key) {
        String[] parts = key.split("/", -1);
        if (parts.length > 2) {
            return List.of(
                    "a valid label key "
                            + NAME_ALPHABET
                            + " with an optional DNS subdomain prefix and '/' (e.g."
                            + " 'example.com/MyName')");
        }
        List<String> problems = new ArrayList<>();
        if (parts.length == 2) {
            addPrefixProblems(problems, parts[0]);
        }
        String name = parts[parts.length - 1];
        if (name.isEmpty()) {
            problems.add("name part must be non-empty");
        } else if (isLonger(name, MAX_NAME)) {
            problems.add("name part must be no more than 63 bytes");
        }
        if (!NAME.matcher(name).matches()) {
            problems.add("name part " + NAME_ALPHABET);
        }
        return problems;
    }

    private static void addPrefixProblems(List<String> problems, String prefix) {
        if (prefix.isEmpty()) {
            problems.add("prefix part must be non-empty");
            return;
        }
        if (isLonger(prefix, MAX_PREFIX)) {
            problems.add("prefix part must be no more than 253 bytes");
        }
        if (!Stream.of(prefix.split("\\.", -1)).allMatch(PREFIX_PART.asMatchPredicate())) {
            problems.add("prefix part " + PREFIX_ALPHABET);
        }
    }

    private static List<String> valueProblems(String value) {
        List<String> problems = new ArrayList<>();
        if (isLonger(value, MAX_NAME)) {
            problems.add("must be no more than 63 bytes");
        }
        if (!value.isEmpty() && !NAME.matcher(value).matches()) {
            problems.add(VALUE_ALPHABET);
        }
        return problems;
    }

    private static boolean isLonger(String text, int bytes) {
        return text.getBytes(StandardCharsets.UTF_8).length > bytes;
    }
}
