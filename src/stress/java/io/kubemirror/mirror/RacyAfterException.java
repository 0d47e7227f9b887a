package io.kubemirror.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;

/**
 * Two threads add to a number without a lock, each after an exception has left a synchronized
 * method, as a control: if the explorer takes the monitor for held, it does not find the race.
 */
final class RacyAfterException implements ConcurrentScenario {

    private volatile int number;

    private synchronized void refuse() {
        throw new IllegalStateException("refused");
    }

    private void add() {
        try {
            refuse();
        } catch (IllegalStateException refused) {
            int before = number;
            number = before + 1;
        }
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::add, this::add);
    }

    @Override
    public void verify() {
        assertThat(number).isEqualTo(2);
    }
}
