package io.kubemirror.api.encode;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.encode.ValuePath.SortValue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

class SortValueTest {

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
            assertThat(Integer.signum(compare(a, b))).as(why).isEqualTo(-Integer.signum(compare(b, a)));
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
