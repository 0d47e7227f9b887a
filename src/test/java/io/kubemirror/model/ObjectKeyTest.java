package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectKeyTest {

    private static final int[] LETTERS =
            "ab-./0\u00e9\ud7ff\ue000\uffee\ud83d\ude00\udbff\udfff".codePoints().toArray();

    @ParameterizedTest
    @CsvSource({
        "a/x, a, true",
        "a/x, '', false",
        "a/x, a/, false",
        "a/x, a/x, false",
        "a/x, b, false",
        "ab/x, a, false",
        "a/x, ab, false",
        "a-b/x, a, false",
        "x, '', true",
        "x, x, false",
    })
    void key_is_only_in_its_own_namespace(String key, String namespace, boolean in) {
        assertThat(new ObjectKey(key).isIn(namespace)).isEqualTo(in);
    }

    @ParameterizedTest
    @CsvSource({
        "a/x, x, true",
        "a/x, a/x, false",
        "a/xy, y, false",
        "a/xy, x, false",
        "a/x, /x, false",
        "a/x, '', false",
        "x, x, true",
        "xx, x, false",
        "x, xx, false",
    })
    void key_matches_only_its_own_name(String key, String name, boolean named) {
        assertThat(new ObjectKey(key).isNamed(name)).isEqualTo(named);
    }

    @ParameterizedTest
    @CsvSource({
        "x, true",
        "a.b, true",
        "..., true",
        "'', true",
        "., false",
        ".., false",
        "a%, false"
    })
    void name_that_no_path_can_have_is_no_segment(String name, boolean segment) {
        assertThat(ObjectKey.isSegment(name)).isEqualTo(segment);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 20260101, 987654321})
    void keys_are_ordered_by_utf8_bytes(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            String one = text(random);
            String other = text(random);
            int order = new ObjectKey(one).compareTo(new ObjectKey(other));
            assertThat(Integer.signum(order))
                    .as("seed %d, case %d: '%s' and '%s'", seed, i, one, other)
                    .isEqualTo(Integer.signum(Arrays.compareUnsigned(utf8(one), utf8(other))));
        }
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        random.ints(random.nextInt(5), 0, LETTERS.length)
                .forEach(letter -> text.appendCodePoint(LETTERS[letter]));
        return text.toString();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
