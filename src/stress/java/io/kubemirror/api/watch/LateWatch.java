package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.interleaving.ConcurrentScenario;

/** A watch is registered while all watches are ended: it is refused, or asked to end. */
public final class LateWatch implements ConcurrentScenario {

    private final WatchRegistry watches = new WatchRegistry(() -> 0);
    private Optional<WatchConnection> late = Optional.empty();

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::register, watches::end);
    }

    private void register() {
        try {
            late = Optional.of(Watches.add(watches));
        } catch (Rejection refused) {
            late = Optional.empty();
        }
    }

    @Override
    public void verify() {
        assertThat(late.stream()).allMatch(WatchConnection::isEndRequested);
    }
}
