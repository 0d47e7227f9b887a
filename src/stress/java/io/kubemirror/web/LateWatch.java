package io.kubemirror.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.interleaving.Scenario;

import java.util.List;
import java.util.Optional;

/** A watch is registered while all watches are ended: it is refused, or told to end. */
final class LateWatch implements Scenario {

    private final OpenWatches watches = new OpenWatches();
    private Optional<Ending> late = Optional.empty();

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::register, watches::end);
    }

    private void register() {
        try {
            late = Optional.of(watches.add(Optional.empty()));
        } catch (Rejection refused) {
            late = Optional.empty();
        }
    }

    @Override
    public void verify() {
        assertThat(late.stream()).allMatch(Ending::isRequested);
    }
}
