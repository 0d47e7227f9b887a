package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import module java.base;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RevisionTest {

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "10", "18446744073709551616"})
    void decimal_number_is_a_valid_revision(String digits) {
        assertThat(Revision.isDecimal(digits)).isTrue();
        assertThat(new Revision(digits)).hasToString(digits);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "00", "01", "-1", "+1", "1.0", "1e3", " 1", "1 ", "x", "0x1", "\u0661"})
    void text_other_than_a_decimal_number_is_not_a_revision(String text) {
        assertThat(Revision.isDecimal(text)).isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> new Revision(text));
    }

    @Test
    void revision_has_at_most_one_hundred_digits() {
        assertThat(Revision.isDecimal("1".repeat(100))).isTrue();
        assertThat(Revision.isDecimal("1".repeat(101))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "9, 10", "99, 100", "199, 200", "9223372036854775807, 9223372036854775808"})
    void next_and_previous_revisions_differ_by_one(String one, String next) {
        assertThat(new Revision(one).next()).isEqualTo(new Revision(next));
        assertThat(new Revision(next).previous()).isEqualTo(new Revision(one));
    }

    @Test
    void revision_zero_has_no_previous_revision() {
        assertThat(Revision.ZERO.isZero()).isTrue();
        assertThat(new Revision("10").isZero()).isFalse();
        assertThatIllegalArgumentException().isThrownBy(Revision.ZERO::previous);
    }

    @Test
    void later_revision_is_the_greater_number() {
        Revision nine = new Revision("9");
        Revision ten = new Revision("10");

        assertThat(Revision.later(nine, ten)).isEqualTo(ten);
        assertThat(Revision.later(ten, nine)).isEqualTo(ten);
        assertThat(nine.isAfter(nine)).isFalse();
        assertThat(nine.isBefore(nine)).isFalse();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 20260101})
    void revisions_are_ordered_as_numbers(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 5_000; i++) {
            BigInteger one = new BigInteger(random.nextInt(140), random);
            BigInteger other =
                    random.nextBoolean()
                            ? one.xor(BigInteger.valueOf(random.nextInt(4)))
                            : new BigInteger(random.nextInt(140), random);
            assertThat(new Revision(one.toString()).compareTo(new Revision(other.toString())))
                    .as("seed %d, case %d: %s and %s", seed, i, one, other)
                    .satisfies(
                            order ->
                                    assertThat(Integer.signum(order))
                                            .isEqualTo(one.compareTo(other)));
        }
    }
}
