package io.kubemirror.feature.table;

import module java.base;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * A JSONPath expression in the dialect of custom resource definitions: members, elements, slices,
 * wildcards, filters, and descendants.
 *
 * <p>Missing members are skipped, as in the columns of the API server. Rejected: a library. The
 * well-maintained ones implement a different dialect (no escaped dots, other filters) and add a
 * second JSON parser.
 */
record JsonPath(List<Step> steps) {

    /** A step of a path. */
    @FunctionalInterface
    interface Step {

        /** Returns the values that the step selects. */
        Stream<JsonNode> from(JsonNode node);
    }

    /** Selects the member of a name. */
    record Member(String name) implements Step {

        @Override
        public Stream<JsonNode> from(JsonNode node) {
            return Stream.ofNullable(node.get(name));
        }
    }

    /**
     * Parses a path.
     *
     * @throws IllegalArgumentException if the path is invalid
     */
    static JsonPath strict(String text) {
        return new JsonPath(new JsonPathParser(text).path());
    }

    /** Parses a path, empty if it is invalid. */
    static Optional<JsonPath> parse(String text) {
        try {
            return Optional.of(strict(text));
        } catch (IllegalArgumentException invalid) {
            return Optional.empty();
        }
    }

    /** Returns the first value of the path. */
    Optional<JsonNode> first(JsonNode from) {
        Stream<JsonNode> reached = Stream.of(from);
        for (Step step : steps) {
            reached = reached.flatMap(step::from);
            if (!(step instanceof Member)) {
                // What is reached again leads to nothing new, but would take the time again.
                Set<JsonNode> once = Collections.newSetFromMap(new IdentityHashMap<>());
                reached = reached.filter(once::add);
            }
        }
        return reached.findFirst();
    }

    /**
     * Selects the value itself and all values inside it, each before those inside it. Does not
     * recurse, because objects may be nested deeply.
     */
    static Stream<JsonNode> descendants(JsonNode node) {
        Deque<JsonNode> rest = new ArrayDeque<>(List.of(node));
        return Stream.generate(rest::poll)
                .takeWhile(Objects::nonNull)
                .peek(next -> next.valueStream().toList().reversed().forEach(rest::addFirst));
    }

    /** Selects one element of an array. A negative index counts from the end. */
    static Step element(int index) {
        return node -> {
            int position = fromEnd(index, node.size());
            return node.isArray() && position >= 0
                    ? Stream.ofNullable(node.get(position))
                    : Stream.empty();
        };
    }

    /**
     * Selects a range of elements of an array. Negative indexes count from the end of the array.
     *
     * @param start the first index, null for the start of the array
     * @param end the index after the last, null for the end of the array
     * @param stride the distance between selected elements, at least 1
     */
    static Step slice(@Nullable Integer start, @Nullable Integer end, int stride) {
        return node -> {
            if (!node.isArray()) {
                return Stream.empty();
            }
            int size = node.size();
            int first = start == null ? 0 : Math.max(0, fromEnd(start, size));
            int last = end == null ? size : Math.min(size, fromEnd(end, size));
            return IntStream.iterate(first, i -> i < last, i -> i + stride).mapToObj(node::get);
        };
    }

    private static int fromEnd(int index, int size) {
        return index < 0 ? index + size : index;
    }

    /**
     * Returns whether a comparison holds. It never holds for missing values or values of different
     * types.
     */
    static boolean holds(Optional<JsonNode> left, String operator, Optional<JsonNode> right) {
        return left.flatMap(one -> right.flatMap(other -> compare(one, other)))
                .filter(
                        order ->
                                switch (operator) {
                                    case "==" -> order == 0;
                                    case "!=" -> order != 0;
                                    case "<" -> order < 0;
                                    case "<=" -> order <= 0;
                                    case ">" -> order > 0;
                                    case ">=" -> order >= 0;
                                    default -> throw new IllegalArgumentException(operator);
                                })
                .isPresent();
    }

    private static Optional<Integer> compare(JsonNode one, JsonNode other) {
        if (one.isNumber() && other.isNumber()) {
            return Optional.of(one.decimalValue().compareTo(other.decimalValue()));
        }
        if (one.isString() && other.isString()) {
            return Optional.of(one.asString().compareTo(other.asString()));
        }
        return one.isBoolean() && other.isBoolean()
                ? Optional.of(Boolean.compare(one.asBoolean(), other.asBoolean()))
                : Optional.empty();
    }

    /** Parses the text of a {@link JsonPath}. For a single use. */
    static final class JsonPathParser {

        private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

        /** A name ends where a step begins. A backslash escapes the next character. */
        private static final Pattern NAME = Pattern.compile("(?:\\\\.|[^.\\[\\]\\s=!<>)\\\\])+");

        private static final Pattern QUOTED =
                Pattern.compile("'((?:\\\\.|[^'\\\\])*)'|\"((?:\\\\.|[^\"\\\\])*)\"");
        private static final Pattern SLICE =
                Pattern.compile("(-?\\d{1,9})?:(-?\\d{1,9})?(?::(\\d{1,9})?)?");
        private static final Pattern INDEX = Pattern.compile("-?\\d{1,9}");
        private static final Pattern NUMBER = Pattern.compile("-?\\d+(?:\\.\\d+)?");
        private static final Pattern TRUTH = Pattern.compile("true|false");
        private static final Pattern OPERATOR = Pattern.compile("==|!=|<=|>=|<|>");

        private final String text;
        private int position;

        JsonPathParser(String text) {
            this.text = text;
        }

        /**
         * Parses the steps of the path.
         *
         * @throws IllegalArgumentException if the path is invalid
         */
        List<Step> path() {
            List<Step> steps = steps();
            if (position < text.length()) {
                throw unexpected();
            }
            return steps;
        }

        private List<Step> steps() {
            List<Step> steps = new ArrayList<>();
            while (true) {
                if (skip("..")) {
                    steps.add(JsonPath::descendants);
                    if (!text.startsWith("[", position)) {
                        steps.add(named());
                    }
                } else if (skip(".")) {
                    steps.add(named());
                } else if (skip("[")) {
                    steps.add(bracket());
                } else {
                    return steps;
                }
            }
        }

        private Step named() {
            return skip("*")
                    ? JsonNode::valueStream
                    : new JsonPath.Member(at(NAME) ? unescaped(take(NAME).group()) : "");
        }

        private Step bracket() {
            if (skip("?(")) {
                Predicate<JsonNode> condition = condition();
                require(")");
                require("]");
                return node -> node.valueStream().filter(condition);
            }
            List<Step> choices = new ArrayList<>();
            do {
                skipBlanks();
                choices.add(choice());
                skipBlanks();
            } while (skip(","));
            require("]");
            if (choices.size() == 1) {
                return choices.getFirst();
            }
            return node -> choices.stream().flatMap(step -> step.from(node));
        }

        private Step choice() {
            if (skip("*")) {
                return JsonNode::valueStream;
            }
            if (text.startsWith("'", position)) {
                return quotedMembers();
            }
            if (at(SLICE)) {
                Matcher slice = take(SLICE);
                String stride = slice.group(3);
                return JsonPath.slice(
                        integer(slice.group(1)),
                        integer(slice.group(2)),
                        stride == null ? 1 : Math.max(1, Integer.parseInt(stride)));
            }
            return JsonPath.element(Integer.parseInt(take(INDEX).group()));
        }

        /** Parses a quoted path: as in the API server, its dots have to be escaped. */
        private Step quotedMembers() {
            String quoted = take(QUOTED).group(1);
            if (quoted.contains("]") || quoted.contains(",")) {
                throw unexpected();
            }
            JsonPath path = strict("." + quoted);
            return node -> path.first(node).stream();
        }

        /** Parses the condition of a filter: a value exists, or it compares with another value. */
        private Predicate<JsonNode> condition() {
            Function<JsonNode, Optional<JsonNode>> left = operand();
            skipBlanks();
            if (!at(OPERATOR)) {
                return element -> left.apply(element).isPresent();
            }
            String operator = take(OPERATOR).group();
            Function<JsonNode, Optional<JsonNode>> right = operand();
            skipBlanks();
            return element -> JsonPath.holds(left.apply(element), operator, right.apply(element));
        }

        /** Parses a literal, or a path that starts at the element. */
        private Function<JsonNode, Optional<JsonNode>> operand() {
            skipBlanks();
            if (skip("@")) {
                return new JsonPath(steps())::first;
            }
            Optional<JsonNode> literal = Optional.of(literal());
            return _ -> literal;
        }

        private JsonNode literal() {
            if (at(QUOTED)) {
                return JSON.stringNode(quoted());
            }
            return at(TRUTH)
                    ? JSON.booleanNode(Boolean.parseBoolean(take(TRUTH).group()))
                    : JSON.numberNode(new BigDecimal(take(NUMBER).group()));
        }

        private String quoted() {
            Matcher quoted = take(QUOTED);
            String single = quoted.group(1);
            return unescaped(single == null ? quoted.group(2) : single);
        }

        private static String unescaped(String text) {
            return text.replaceAll("\\\\(.)", "$1");
        }

        private static @Nullable Integer integer(@Nullable String digits) {
            return digits == null ? null : Integer.valueOf(digits);
        }

        private boolean at(Pattern pattern) {
            return pattern.matcher(text).region(position, text.length()).lookingAt();
        }

        private Matcher take(Pattern pattern) {
            Matcher matcher = pattern.matcher(text).region(position, text.length());
            if (!matcher.lookingAt()) {
                throw unexpected();
            }
            position = matcher.end();
            return matcher;
        }

        private boolean skip(String token) {
            boolean there = text.startsWith(token, position);
            position += there ? token.length() : 0;
            return there;
        }

        private void skipBlanks() {
            while (text.startsWith(" ", position)) {
                position++;
            }
        }

        private void require(String token) {
            if (!skip(token)) {
                throw unexpected();
            }
        }

        private IllegalArgumentException unexpected() {
            return new IllegalArgumentException("unexpected at " + position + ": " + text);
        }
    }
}
