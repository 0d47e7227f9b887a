package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.model.LabelSelector.Requirement;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LabelSelectorTest {

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\r\n"})
    void blank_selector_selects_everything(String text) throws Rejection {
        LabelSelector selector = LabelSelectorParser.parse(text);

        assertThat(selector.isEverything()).isTrue();
        assertThat(selector).isEqualTo(LabelSelector.everything());
        assertThat(selector.matches(Map.of())).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    a=b           | a==b       | true
                    a=b           | a in (b)   | true
                    a!=b          | a notin (b) | true
                    a=b,c         | c, a = b   | true
                    a in (b,c)    | a in (c,b,c) | true
                    a in ()       | a=         | true
                    a,a           | a          | true
                    a>5           | a>05       | true
                    a=b           | a=c        | false
                    a=b           | b=b        | false
                    a=b           | a!=b       | false
                    a             | !a         | false
                    a>5           | a<5        | false
                    a in (b,c)    | a in (b)   | false
                    a=b           | a=b,c      | false
                    """)
    void selectors_are_equal_if_their_requirements_are_equivalent(
            String one, String other, boolean equal) throws Rejection {
        Set<LabelSelector> parsed = new HashSet<>();
        parsed.add(LabelSelectorParser.parse(one));
        parsed.add(LabelSelectorParser.parse(other));

        assertThat(parsed).hasSize(equal ? 1 : 2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    a=b           | a in (b,c)    | true
                    a=b,c=d       | c=d           | true
                    a=b,c=d       | c,a notin (x) | true
                    a notin (b,c) | a!=c          | true
                    a>5           | a>5           | true
                    a in (b,c)    | a=b           | false
                    c=d           | a=b,c=d       | false
                    a=b,!c,d>5    | ''            | true
                    ''            | a=b           | false
                    # An implication of several requirements is not detected.
                    a in (b,c),a!=c | a=b         | false
                    """)
    void selector_is_within_selectors_whose_requirements_it_implies(
            String inner, String outer, boolean within) throws Rejection {
        assertThat(LabelSelectorParser.parse(inner).isWithin(LabelSelectorParser.parse(outer)))
                .isEqualTo(within);
    }

    /** More values of each sort than any requirement below can list, so that none is exhausted. */
    private static final List<@Nullable String> UNIVERSE = new ArrayList<>();

    static {
        String texts = ",b,c,x,-9,-8,-7,-6,0,1,2,3,4,5,6,7,8,9,99,9223372036854775808";
        UNIVERSE.add(null);
        UNIVERSE.addAll(List.of(texts.split(",", -1)));
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 42, 20260101})
    void requirement_implies_another_exactly_if_it_accepts_a_subset_of_its_values(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            Requirement ours = requirement(random);
            Requirement theirs = requirement(random);
            assertThat(ours.implies(theirs))
                    .as("seed %d, case %d: %s implies %s", seed, i, ours, theirs)
                    .isEqualTo(
                            UNIVERSE.stream().allMatch(v -> theirs.accepts(v) || !ours.accepts(v)));
        }
    }

    @Test
    void requirement_implies_nothing_about_another_label() {
        assertThat(new Requirement.Exists("a").implies(new Requirement.Exists("b"))).isFalse();
    }

    private static Requirement requirement(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> new Requirement.In("a", values(random));
            case 1 -> new Requirement.NotIn("a", values(random));
            case 2 -> new Requirement.Exists("a");
            case 3 -> new Requirement.Absent("a");
            case 4 -> new Requirement.Above("a", random.nextInt(6));
            default -> new Requirement.Below("a", random.nextInt(6));
        };
    }

    private static Set<String> values(Random random) {
        List<@Nullable String> present = UNIVERSE.subList(1, UNIVERSE.size());
        Set<String> values = new HashSet<>();
        do {
            values.add(Objects.requireNonNull(present.get(random.nextInt(present.size()))));
        } while (values.size() < 3 && random.nextBoolean());
        return values;
    }
}
