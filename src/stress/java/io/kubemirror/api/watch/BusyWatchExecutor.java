package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;

/** Tasks are submitted while threads leave: none is lost. */
public final class BusyWatchExecutor implements ConcurrentScenario {

    private final AtomicInteger taken = new AtomicInteger();

    @Override
    public List<Runnable> actors(Spawner spawner) {
        WatchExecutor executor = new WatchExecutor(2, new Spawning(spawner));
        return List.of(
                () -> executor.execute(taken::incrementAndGet),
                () -> {
                    executor.execute(taken::incrementAndGet);
                    executor.execute(taken::incrementAndGet);
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
