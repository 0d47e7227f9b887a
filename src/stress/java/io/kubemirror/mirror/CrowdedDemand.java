package io.kubemirror.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.interleaving.Scenario;

import java.util.List;

/** Lists ask for more indexes at once than are kept up. */
final class CrowdedDemand implements Scenario {

    private final Demand demand = new Demand();

    CrowdedDemand() {
        for (int i = 0; i < 7; i++) {
            ask("known-" + i);
        }
    }

    private void ask(String label) {
        demand.ask(new Dimension.Label(label));
        demand.ask(new Dimension.Label(label));
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(() -> ask("one"), () -> ask("other"));
    }

    @Override
    public void verify() {
        assertThat(demand.worthwhile()).hasSizeLessThanOrEqualTo(8);
    }
}
