package io.kubemirror.api.encode;

import static io.kubemirror.api.encode.OrderedItems.item;
import static io.kubemirror.api.encode.OrderedItems.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.api.encode.ValuePath.SortValue;
import io.kubemirror.model.KubeObject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

/** Which value of an object a path names, and how values are ordered. */
class ValuePathTest {

    private static final KubeObject POD =
            item(
                    "a/x",
                    7,
                    """
                    ,"spec":{"replicas": 3 ,"paused":true,"note":"a \\"b\\" \\u00e4","none":null,
                    "empty":"","containers":[{"name":"c{","cpu":"100m"},{"name":"d","cpu":"2"}]},
                    "status":{"example.com/at":"2026-01-01T00:00:00Z","last":1}\
                    """);

    @ParameterizedTest
    @CsvFileSource(resources = "/io/kubemirror/api/encode/paths.csv", quoteCharacter = '\'')
    void value_of_a_path_is_read(String path, String value) {
        assertThat(path(path).of(POD)).isEqualTo(value);
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/api/encode/missing-paths.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void absent_null_and_nested_values_are_missing(String path) {
        assertThat(path(path).of(POD)).isNull();
    }

    @Test
    void empty_value_is_not_missing() {
        assertThat(path("spec.empty").of(POD)).isEmpty();
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/api/encode/malformed-paths.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void malformed_path_is_refused(String path) {
        assertThatThrownBy(() -> path(path)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/io/kubemirror/api/encode/sorted-values.csv", quoteCharacter = '\'')
    void smaller_is_first(String one, String other) {
        assertThat(compare(one, other)).isNegative();
        assertThat(compare(other, one)).isPositive();
    }

    @ParameterizedTest
    @CsvSource({
        "1Gi, 1024Mi",
        "100m, 0.1",
        "2026-01-01T02:00:00+02:00, 2026-01-01T00:00:00Z",
        "7, 7000m"
    })
    void same_amount_is_equal_in_every_notation(String one, String other) {
        assertThat(compare(one, other)).isZero();
    }

    @Test
    void mixed_values_have_one_order() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 100_000; round++) {
            String a = text(random);
            String b = text(random);
            String c = text(random);
            String why = "seed %d: %s %s %s".formatted(seed, a, b, c);
            assertThat(Integer.signum(compare(a, b)))
                    .as(why)
                    .isEqualTo(-Integer.signum(compare(b, a)));
            if (compare(a, b) <= 0 && compare(b, c) <= 0) {
                assertThat(compare(a, c)).as(why).isNotPositive();
            }
        }
    }

    private static String text(Random random) {
        String characters = "0129amkKi-.eT";
        StringBuilder text = new StringBuilder();
        for (int length = 1 + random.nextInt(5); length > 0; length--) {
            text.append(characters.charAt(random.nextInt(characters.length())));
        }
        return text.toString();
    }

    private static int compare(String one, String other) {
        return SortValue.compare(
                Objects.requireNonNull(SortValue.of(one)),
                Objects.requireNonNull(SortValue.of(other)));
    }
}
