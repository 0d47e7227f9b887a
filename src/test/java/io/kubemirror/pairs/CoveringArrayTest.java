package io.kubemirror.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.pairs.Row.Pair;

import org.junit.jupiter.api.Test;

/** The rows are complete, valid, and few. */
class CoveringArrayTest {

    private final CoveringArray array = new CoveringArray(Settings::permits);

    @Test
    void every_possible_pair_occurs() {
        System.out.printf(
                "pairs: %d rows for %d pairs of %d factors%n",
                array.rows().size(), array.pairs().size(), Factor.values().length);
        assertThat(array.pairs()).allMatch(pair -> array.rows().stream().anyMatch(covers(pair)));
        assertThat(array.rows()).hasSizeLessThan(30);
    }

    private static java.util.function.Predicate<Row> covers(Pair pair) {
        return row -> row.covers(pair);
    }

    @Test
    void rows_are_complete_and_permitted() {
        assertThat(array.rows())
                .allMatch(row -> row.values().size() == Factor.values().length)
                .allMatch(Settings::permits)
                .doesNotHaveDuplicates();
    }

    @Test
    void only_pairs_that_the_configuration_refuses_are_missing() {
        List<Pair> refused =
                List.of(
                        new Pair(Factor.READS, "verify", Factor.KEEP, "on"),
                        new Pair(Factor.DEMAND, "on-demand", Factor.SOURCE, "etcd"),
                        new Pair(Factor.PASS_THROUGH, "own", Factor.DROP, "on"),
                        new Pair(Factor.PASS_THROUGH, "off", Factor.DEMAND, "on-demand"),
                        new Pair(Factor.PASS_THROUGH, "own", Factor.METADATA_ONLY, "on"));
        assertThat(array.pairs()).doesNotContainAnyElementsOf(refused);
    }
}
