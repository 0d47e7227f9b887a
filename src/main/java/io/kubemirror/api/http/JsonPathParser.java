package io.kubemirror.api.http;

import io.kubemirror.api.http.JsonPath.Step;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses the text of a {@link JsonPath}. For a single use. */
final class JsonPathParser {

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
                : new JsonPath.Member(unescaped(take(NAME).group()));
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
        if (at(QUOTED)) {
            return new JsonPath.Member(quoted());
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
