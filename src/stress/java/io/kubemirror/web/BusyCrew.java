package io.kubemirror.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.interleaving.Scenario;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Turns come while the threads that take them leave: none is forgotten. */
final class BusyCrew implements Scenario {

    private final AtomicInteger taken = new AtomicInteger();

    @Override
    public List<Runnable> actors(Spawner spawner) {
        Crew crew = new Crew(2, new Spawning(spawner));
        return List.of(
                () -> crew.execute(taken::incrementAndGet),
                () -> {
                    crew.execute(taken::incrementAndGet);
                    crew.execute(taken::incrementAndGet);
                });
    }

    @Override
    public void verify() {
        assertThat(taken).hasValue(3);
    }

    /** Threads that are actors. */
    private static final class Spawning extends AbstractExecutorService {

        private final Spawner spawner;

        Spawning(Spawner spawner) {
            this.spawner = spawner;
        }

        @Override
        public void execute(Runnable task) {
            spawner.spawn(task);
        }

        @Override
        public void shutdown() {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<Runnable> shutdownNow() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }
    }
}
