package io.kubemirror.api.encode.table;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import java.util.Optional;

/**
 * A condition of a {@link JsonPath}'s filter: something is there, or compares with something else.
 *
 * @param left what is compared
 * @param operator how, null if {@code left} only has to be there
 * @param right what with
 */
record PathCondition(Operand left, @Nullable String operator, Operand right) {

    /** One side of a comparison. */
    sealed interface Operand {

        /** Its value for an element, empty if there is none. */
        Optional<JsonNode> of(JsonNode element);

        /**
         * A path from the element.
         *
         * @param path the path
         */
        record Path(JsonPath path) implements Operand {

            @Override
            public Optional<JsonNode> of(JsonNode element) {
                return path.first(element);
            }
        }

        /**
         * A value that is written down.
         *
         * @param value the value
         */
        record Literal(JsonNode value) implements Operand {

            @Override
            public Optional<JsonNode> of(JsonNode element) {
                return Optional.of(value);
            }
        }
    }

    /** Whether it holds for an element; what is not there, or of another type, never does. */
    boolean holds(JsonNode element) {
        Optional<JsonNode> one = left.of(element);
        Optional<JsonNode> other = right.of(element);
        if (operator == null || one.isEmpty() || other.isEmpty()) {
            return operator == null && one.isPresent();
        }
        return compare(one.get(), other.get()).map(this::holds).orElse(false);
    }

    private boolean holds(int order) {
        return switch (operator == null ? "" : operator) {
            case "==" -> order == 0;
            case "!=" -> order != 0;
            case "<" -> order < 0;
            case "<=" -> order <= 0;
            case ">" -> order > 0;
            case ">=" -> order >= 0;
            default -> false;
        };
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
}
