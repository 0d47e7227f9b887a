package io.kubemirror.feature.table;

import module java.base;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.BooleanNode;
import tools.jackson.databind.node.StringNode;

/**
 * A JSONPath expression as definitions of custom resources write them: members, elements, slices,
 * wildcards, and filters for equality.
 *
 * <p>Missing members are skipped, as in the columns of the API server. Rejected: a library. The
 * well-maintained ones implement a different dialect (no escaped dots, other filters) and add a
 * second JSON parser.
 */
record JsonPath(List<Step> steps) {

    /** A name ends where a step begins. A backslash escapes the next character. */
    private static final String NAME = "(?:\\\\.|[^.\\[\\]\\s=!<>()\\\\])+";

    private static final Pattern STEP =
            Pattern.compile(
                    "\\.(?<name>"
                            + NAME
                            + ")"
                            + "|\\['(?<quoted>[^'\\],]+)'\\]"
                            + "|\\[(?<index>-?\\d{1,9})\\]"
                            + "|\\[(?<start>-?\\d{0,9}):(?<end>-?\\d{0,9})\\]"
                            + "|(?<all>\\[\\*\\])"
                            + "|\\[\\?\\(\\s*@(?<path>(?:\\."
                            + NAME
                            + ")+)\\s*==\\s*"
                            + "(?<value>\"[^\"\\\\]*\"|'[^'\\\\]*'|true|false)\\s*\\)\\]");

    /** A step of a path. */
    @FunctionalInterface
    interface Step {

        /** Returns the values that the step selects. */
        Stream<JsonNode> from(JsonNode node);
    }

    /** Parses a path, empty if it is invalid, or has what hardly any definition has. */
    static Optional<JsonPath> parse(String text) {
        List<Step> steps = new ArrayList<>();
        Matcher step = STEP.matcher(text);
        for (int at = 0; at < text.length(); at = step.end()) {
            if (!step.region(at, text.length()).lookingAt() || !add(step, steps)) {
                return Optional.empty();
            }
        }
        return Optional.of(new JsonPath(steps));
    }

    /** Adds a step, or those of a quoted path, whose dots have to be escaped. */
    private static boolean add(MatchResult step, List<Step> steps) {
        String quoted = step.group("quoted");
        if (quoted == null) {
            return steps.add(step(step));
        }
        return parse("." + quoted).map(path -> steps.addAll(path.steps)).orElse(false);
    }

    private static Step step(MatchResult step) {
        if (step.group("name") != null) {
            return member(step.group("name"));
        }
        if (step.group("index") != null) {
            return element(Integer.parseInt(step.group("index")));
        }
        if (step.group("start") != null) {
            return slice(step.group("start"), step.group("end"));
        }
        return step.group("all") == null
                ? filter(step.group("path"), step.group("value"))
                : JsonNode::valueStream;
    }

    private static Step member(String text) {
        String name = text.replaceAll("\\\\(.)", "$1");
        return text.equals("*") ? JsonNode::valueStream : node -> Stream.ofNullable(node.get(name));
    }

    private static Step element(int index) {
        return node -> {
            int position = fromEnd(index, node.size());
            return node.isArray() && position >= 0
                    ? Stream.ofNullable(node.get(position))
                    : Stream.empty();
        };
    }

    private static Step slice(String start, String end) {
        int from = start.isEmpty() ? 0 : Integer.parseInt(start);
        int to = end.isEmpty() ? Integer.MAX_VALUE : Integer.parseInt(end);
        return node -> {
            int size = node.isArray() ? node.size() : 0;
            return IntStream.range(
                            Math.max(0, fromEnd(from, size)), Math.min(size, fromEnd(to, size)))
                    .mapToObj(node::get);
        };
    }

    /** Returns the position of an index, of which a negative one counts from the end. */
    private static int fromEnd(int index, int size) {
        return index < 0 ? index + size : index;
    }

    /** Returns a step to the elements that have a text or a truth value at a path. */
    private static Step filter(String path, String literal) {
        JsonPath left = parse(path).orElseThrow();
        Optional<JsonNode> value =
                Character.isLetter(literal.charAt(0))
                        ? Optional.of(BooleanNode.valueOf(literal.equals("true")))
                        : Optional.of(
                                StringNode.valueOf(literal.substring(1, literal.length() - 1)));
        return node -> node.valueStream().filter(element -> left.first(element).equals(value));
    }

    /** Returns the first value of the path. */
    Optional<JsonNode> first(JsonNode from) {
        Stream<JsonNode> reached = Stream.of(from);
        for (Step step : steps) {
            reached = reached.flatMap(step::from);
        }
        return reached.findFirst();
    }
}
