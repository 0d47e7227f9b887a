package io.kubemirror.feature.demand;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.feature.demand.DemandedType.LastUse;
import io.kubemirror.interleaving.ConcurrentScenario;

/** A request uses a mirror on demand while it ends as idle: one of them has its way. */
final class UsedWhileEnding implements ConcurrentScenario {

    private final LastUse lastUse = new LastUse(0);
    private final long observed = lastUse.time();
    private boolean used;
    private boolean ended;

    /** Its clock may show the time of an earlier use. */
    private void use() {
        used = lastUse.use(0);
    }

    private void end() {
        ended = lastUse.end(observed);
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::use, this::end);
    }

    @Override
    public void verify() {
        assertThat(used).isNotEqualTo(ended);
        assertThat(lastUse.isEnded()).isEqualTo(ended);
    }
}
