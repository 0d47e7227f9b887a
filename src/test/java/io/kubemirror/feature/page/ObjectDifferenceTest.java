package io.kubemirror.feature.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.app.health.PodMirror;
import io.kubemirror.feature.page.ObjectDifference.Member;

import org.junit.jupiter.api.Test;

import tools.jackson.core.JacksonException;

/** Tests the difference between two states of an object. */
class ObjectDifferenceTest {

    @Test
    void changed_added_and_removed_members_are_named_by_their_paths() {
        String before =
                """
                {"metadata":{"name":"a","resourceVersion":"1","managedFields":[1],
                  "labels":{"app.kubernetes.io/name":"x","same":"s"}},
                 "spec":{"replicas":1,"containers":[{"image":"a:1"},{"image":"b:1"}],"old":true}}\
                """;
        String after =
                """
                {"metadata":{"name":"a","resourceVersion":"2","managedFields":[2],
                  "labels":{"app.kubernetes.io/name":"y","same":"s"}},
                 "spec":{"replicas":2,"containers":[{"image":"a:1"},{"image":"b:2"},{"image":"c"}],
                  "none":null}}\
                """;

        assertThat(between(before, after).members())
                .containsExactly(
                        new Member("metadata.labels[\"app.kubernetes.io/name\"]", "\"x\"", "\"y\""),
                        new Member("spec.replicas", "1", "2"),
                        new Member("spec.containers[1].image", "\"b:1\"", "\"b:2\""),
                        new Member("spec.containers[2]", null, "{\"image\":\"c\"}"),
                        new Member("spec.old", "true", null),
                        new Member("spec.none", null, "null"));
        assertThat(between(before, before)).isEqualTo(between(after, after));
    }

    @Test
    void difference_is_limited_in_members_and_in_the_length_of_values() {
        assertThat(between("{}", members(200)).more()).isFalse();
        ObjectDifference large = between("{}", members(1_000));
        assertThat(large.members()).hasSize(200);
        assertThat(large.more()).isTrue();

        String value =
                between("{}", "{\"a\":\"" + "x".repeat(5_000) + "\"}").members().getFirst().after();
        assertThat(value).hasSize(1_003).endsWith("...");
    }

    @Test
    void states_that_are_nested_too_deeply_are_not_compared() {
        String deep = "{\"a\":".repeat(100_000) + "1" + "}".repeat(100_000);
        assertThatThrownBy(() -> between(deep, "{}")).isInstanceOf(JacksonException.class);
    }

    private static String members(int number) {
        return IntStream.range(0, number)
                .mapToObj(i -> "\"m" + i + "\":1")
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static ObjectDifference between(String before, String after) {
        return ObjectDifference.between(
                PodMirror.pod("a", "1", before), PodMirror.pod("a", "2", after));
    }
}
