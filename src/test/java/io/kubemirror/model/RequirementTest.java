package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.LabelSelector.Requirement;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequirementTest {

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
