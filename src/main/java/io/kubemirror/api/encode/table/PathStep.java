package io.kubemirror.api.encode.table;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A step of a {@link JsonPath}. */
sealed interface PathStep {

    /** Returns the values that the step selects. */
    Stream<JsonNode> from(JsonNode node);

    /** Selects nothing. */
    record Nowhere() implements PathStep {

        @Override
        public Stream<JsonNode> from(JsonNode node) {
            return Stream.empty();
        }
    }

    /**
     * Selects a member of an object.
     *
     * @param name the name of the member
     */
    record Member(String name) implements PathStep {

        @Override
        public Stream<JsonNode> from(JsonNode node) {
            return Stream.ofNullable(node.get(name));
        }
    }

    /** Selects all members of an object or all elements of an array. */
    record Wildcard() implements PathStep {

        @Override
        public Stream<JsonNode> from(JsonNode node) {
            return node.valueStream();
        }
    }

    /** Selects the value itself and all values inside it. */
    record Descendants() implements PathStep {

        @Override
        public Stream<JsonNode> from(JsonNode node) {
            return Stream.concat(Stream.of(node), node.valueStream().flatMap(this::from));
        }
    }

    /**
     * Selects a range of elements of an array. Negative indexes count from the end of the array.
     *
     * @param start the first index, null for the start of the array
     * @param end the index after the last, null for the end of the array
     * @param stride the distance between selected elements, at least 1
     */
    record Slice(@Nullable Integer start, @Nullable Integer end, int stride) implements PathStep {

        @Override
        public Stream<JsonNode> from(JsonNode node) {
            if (!node.isArray()) {
                return Stream.empty();
            }
            int size = node.size();
            int first = start == null ? 0 : Math.max(0, fromEnd(start, size));
            int last = end == null ? size : Math.min(size, fromEnd(end, size));
            return IntStream.iterate(first, i -> i < last, i -> i + stride).mapToObj(node::get);
        }

        private static int fromEnd(int index, int size) {
            return index < 0 ? index + size : index;
        }
    }

    /**
     * Selects one element of an array.
     *
     * @param index the index; a negative index counts from the end
     */
    record Element(int index) implements PathStep {

        @Override
        public Stream<JsonNode> from(JsonNode node) {
            int position = index < 0 ? index + node.size() : index;
            return node.isArray() && position >= 0
                    ? Stream.ofNullable(node.get(position))
                    : Stream.empty();
        }
    }

    /**
     * Selects the values of several steps.
     *
     * @param steps the steps
     */
    record Union(List<PathStep> steps) implements PathStep {

        /** Copies the list. */
        public Union {
            steps = List.copyOf(steps);
        }

        @Override
        public Stream<JsonNode> from(JsonNode node) {
            return steps.stream().flatMap(step -> step.from(node));
        }
    }

    /**
     * Selects the elements of an array that meet a condition.
     *
     * @param condition the condition
     */
    record Filter(PathCondition condition) implements PathStep {

        @Override
        public Stream<JsonNode> from(JsonNode node) {
            return node.valueStream().filter(condition::holds);
        }
    }
}
