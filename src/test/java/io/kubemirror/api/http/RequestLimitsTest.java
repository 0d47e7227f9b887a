package io.kubemirror.api.http;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A watch keeps each value of its selectors, so those of one requirement count like others. */
class RequestLimitsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    labelSelector | VALUES                  | l               | 1000
                    fieldSelector | VALUES                  | metadata.name!= | 1000
                    labelSelector | a,b+in+(VALUES)         | v               | 999
                    labelSelector | a,b+notin+(VALUES)      | v               | 999
                    """)
    void selector_with_more_than_1000_values_is_rejected(
            String parameter, String selector, String prefix, int most) throws Rejection {
        decode(parameter, selector, prefix, most);

        assertThatThrownBy(() -> decode(parameter, selector, prefix, most + 1))
                .isInstanceOf(Rejection.class)
                .hasMessage(parameter + " has more than 1000 values");
    }

    private static void decode(String parameter, String selector, String prefix, int count)
            throws Rejection {
        String values =
                IntStream.range(0, count)
                        .mapToObj(i -> prefix + i)
                        .collect(Collectors.joining(","));
        String query = parameter + "=" + selector.replace("VALUES", values);
        var _ = ListOptions.decode(Query.parse(query), false);
    }
}
