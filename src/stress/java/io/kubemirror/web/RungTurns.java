package io.kubemirror.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.interleaving.Scenario;

import java.util.List;

/** Rings come while turns are taken: none is lost, and no two turns overlap. */
final class RungTurns implements Scenario {

    private Turns turns = new Turns(_ -> {});
    private volatile int rung;
    private volatile int seen;
    private volatile boolean busy;

    @Override
    public List<Runnable> actors(Spawner spawner) {
        turns = new Turns(spawner::spawn);
        return List.of(() -> turns.begin(this::turn), this::ring);
    }

    private void ring() {
        rung = 1;
        turns.ring();
        rung = 2;
        turns.ring();
    }

    private void turn() {
        assertThat(busy).as("another turn is taken").isFalse();
        busy = true;
        seen = rung;
        busy = false;
    }

    @Override
    public void verify() {
        assertThat(seen).as("the last ring was heard").isEqualTo(2);
    }
}
