package io.kubemirror.feature.query;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kubemirror.model.KubeObject.Span;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

class MemberFinderTest {

    private static final JsonMapper MAPPER = JsonMapper.shared();
    private static final List<String> NAMES =
            List.of("status", "spec", "statu", "status1", "phase", "a");
    private static final List<String> TEXTS =
            List.of("", "x", "{", "]}", "\"", "\\", "\\\"", "status", "\"status\":{", "ü", "a:b");
    private static final List<String> BLANKS = List.of("", "", "", " ", "\n\t");

    private static @Nullable String find(String json, String... names) {
        byte[] bytes = json.getBytes(UTF_8);
        Span found = new MemberFinder(List.of(names)).find(bytes, 0);
        return found == null
                ? null
                : new String(bytes, found.start(), found.end() - found.start(), UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"spec\":{\"a\":1},\"status\":{\"phase\":\"Running\"}}",
                "{\"status\":{\"phase\":\"Running\"},\"spec\":{\"a\":[{}]}}",
                "{\"spec\":{\"status\":{\"phase\":\"no\"}},\"status\" : { \"phase\":\"Running\" } }"
                        + " \n"
            })
    void status_is_found_wherever_it_is(String json) {
        assertThat(find(json, "status", "phase")).isEqualTo("\"Running\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"spec\":{\"status\":{\"phase\":\"no\"}}}",
                "{\"spec\":1,\"status\":null}",
                "{\"status\":[{\"phase\":\"no\"}]}"
            })
    void member_that_is_missing_is_not_found(String json) {
        assertThat(find(json, "status", "phase")).isNull();
    }

    @Test
    void member_of_a_random_object_is_found_as_a_parser_finds_it() {
        long seed = new Random().nextLong();
        RandomGenerator random = new SplittableRandom(seed);
        for (int round = 0; round < 5_000; round++) {
            String json = object(random, 3);
            String first = any(NAMES, random);
            String second = any(NAMES, random);
            JsonNode parsed = MAPPER.readTree(json);
            verify(seed, json, parsed.get(first), find(json, first));
            verify(seed, json, parsed.path(first).get(second), find(json, first, second));
        }
    }

    private static void verify(
            long seed, String json, @Nullable JsonNode expected, @Nullable String found) {
        assertThat(found == null ? null : MAPPER.readTree(found))
                .as("seed %d: %s", seed, json)
                .isEqualTo(expected);
    }

    private static String object(RandomGenerator random, int depth) {
        List<String> names = new ArrayList<>(NAMES);
        Collections.shuffle(names, Random.from(random));
        List<String> members = new ArrayList<>();
        for (String name : names.subList(0, random.nextInt(names.size() + 1))) {
            members.add("\"" + name + "\"" + any(BLANKS, random) + ":" + value(random, depth - 1));
        }
        return "{" + any(BLANKS, random) + String.join(",", members) + "}" + any(BLANKS, random);
    }

    private static String value(RandomGenerator random, int depth) {
        String value =
                switch (random.nextInt(depth > 0 ? 6 : 4)) {
                    case 0 -> "-1.5e3";
                    case 1 -> "null";
                    case 2, 3 -> MAPPER.writeValueAsString(any(TEXTS, random));
                    case 4 -> "[" + value(random, depth - 1) + "," + value(random, 0) + "]";
                    default -> object(random, depth);
                };
        return any(BLANKS, random) + value + any(BLANKS, random);
    }

    private static String any(List<String> from, RandomGenerator random) {
        return from.get(random.nextInt(from.size()));
    }
}
