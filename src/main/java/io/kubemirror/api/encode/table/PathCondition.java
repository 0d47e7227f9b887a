package io.kubemirror.api.encode.table;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import java.util.Optional;

/**
 * A condition in the filter of a {@link JsonPath}: a value exists, or it compares with another
 * value.
 *
 * @param left the left operand
 * @param operator the comparison operator, null to check that {@code left} exists
 * @param right the right operand
 */
record PathCondition(Operand left, @Nullable String operator, Operand right) {

    /** An operand of a comparison. */
    sealed interface Operand {

        /** Returns the value for an element, empty if there is none. */
        Optional<JsonNode> of(JsonNode element);

        /** A path that starts at the element. */
        record Path(JsonPath path) implements Operand {

            @Override
            public Optional<JsonNode> of(JsonNode element) {
                return path.first(element);
            }
        }

        /** A literal value. */
        record Literal(JsonNode value) implements Operand {

            @Override
            public Optional<JsonNode> of(JsonNode element) {
                return Optional.of(value);
            }
        }
    }

    /**
     * Returns whether the condition holds for an element. It never holds for missing values or
     * values of different types.
     */
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
