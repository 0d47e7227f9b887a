package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;

/**
 * Two reflectors wait for a server that accepts connections again: exactly one of them continues
 * first.
 */
public final class FirstReflector implements ConcurrentScenario {

    private static final Duration LONGEST = Duration.ofMillis(700);

    private final AtomicInteger probes = new AtomicInteger();
    private final AtomicInteger admitted = new AtomicInteger();
    private final RandomGenerator shortest = () -> 0;
    private final ConnectionProbe probe =
            new ConnectionProbe(this::accepts, () -> Instant.EPOCH, shortest, _ -> {});

    private boolean accepts() {
        probes.incrementAndGet();
        return true;
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::await, this::await);
    }

    private void await() {
        try {
            if (probe.await(LONGEST, /* refused= */ true)) {
                admitted.incrementAndGet();
            }
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    public void verify() {
        assertThat(probes).as("one of them asks for all").hasValue(1);
        assertThat(admitted).as("the others wait for its answer").hasValue(1);
    }
}
