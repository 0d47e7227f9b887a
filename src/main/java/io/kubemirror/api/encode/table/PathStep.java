package io.kubemirror.api.encode.table;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A step of a {@link JsonPath}. */
sealed interface PathStep {

    /** Where the step leads to. */
    Stream<JsonNode> from(JsonNode node);

    /** To nothing. */
    record Nowhere() implements PathStep {

        @Override
        public Stream<JsonNode> from(JsonNode node) {
            return Stream.empty();
        }
    }

    /**
     * To a member of an object.
     *
     * @param name its name
     */
    record Member(String name) implements PathStep {

        @Override
        public Stream<JsonNode> from(JsonNode node) {
            return Stream.ofNullable(node.get(name));
        }
    }

    /** To all members of an object or elements of an array. */
    record Wildcard() implements PathStep {

        @Override
        public Stream<JsonNode> from(JsonNode node) {
            return node.valueStream();
        }
    }

    /** To the value itself and everything inside it. */
    record Descendants() implements PathStep {

        @Override
        public Stream<JsonNode> from(JsonNode node) {
            return Stream.concat(Stream.of(node), node.valueStream().flatMap(this::from));
        }
    }

    /**
     * To some elements of an array; a negative index counts from its end.
     *
     * @param start the first, null for the first of all
     * @param end the one after the last, null for the end
     * @param stride from one to the next, at least 1
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
     * To one element of an array.
     *
     * @param index which; a negative one counts from the end
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
     * Wherever one of several steps leads to.
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
     * To the elements of an array for which a condition holds.
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
