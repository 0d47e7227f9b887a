package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.feature.forward.PassedExchange.ExchangeThread;
import io.kubemirror.interleaving.ConcurrentScenario;

/**
 * A client disconnects while its request ends: the thread is interrupted before that or never, so
 * nothing else that it does is.
 */
public final class EndedExchange implements ConcurrentScenario {

    /** Volatile, so that the interrupt may be delayed before it. */
    private volatile boolean next;

    private boolean disturbed;
    private final ExchangeThread exchange = new ExchangeThread(this::interrupt);

    /** A method, because lambdas have no steps. */
    private void interrupt() {
        disturbed |= next;
    }

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
