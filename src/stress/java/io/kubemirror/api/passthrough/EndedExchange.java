package io.kubemirror.api.passthrough;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.interleaving.ConcurrentScenario;

import java.util.List;

/**
 * A client disconnects while its request ends: the thread is interrupted before that or never, so
 * nothing else that it does is.
 */
public final class EndedExchange implements ConcurrentScenario {

    private boolean next;
    private boolean disturbed;
    private final ExchangeThread exchange = new ExchangeThread(() -> disturbed |= next);

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(
                exchange::end,
                () -> {
                    exchange.over();
                    next = true;
                });
    }

    @Override
    public void verify() {
        assertThat(disturbed).isFalse();
    }
}
