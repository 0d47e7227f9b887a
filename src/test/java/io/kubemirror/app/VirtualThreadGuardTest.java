package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class VirtualThreadGuardTest {

    private final List<Runnable> waiting = new ArrayList<>();
    private final AtomicInteger carriers = new AtomicInteger(2);

    private final VirtualThreadGuard guard =
            new VirtualThreadGuard(
                    waiting::add,
                    new VirtualThreadGuard.Carriers() {
                        @Override
                        public int count() {
                            return carriers.get();
                        }

                        @Override
                        public void set(int count) {
                            carriers.set(count);
                        }
                    },
                    Thread::sleep);

    private void runAll() {
        waiting.forEach(Runnable::run);
        waiting.clear();
    }

    @Test
    void virtual_threads_that_run_keep_their_carriers() {
        for (int i = 0; i < 3; i++) {
            guard.check();
            runAll();
        }

        assertThat(carriers).hasValue(2);
    }

    @Test
    void virtual_threads_that_do_not_run_get_more_carriers_until_they_do() {
        guard.check();
        guard.check();
        assertThat(carriers).hasValue(4);
        guard.check();
        assertThat(carriers).hasValue(8);

        runAll();
        guard.check();
        assertThat(carriers).hasValue(2);
    }

    @Test
    void carriers_are_taken_back_when_the_guard_stops() {
        guard.check();
        guard.check();
        assertThat(carriers).hasValue(4);

        guard.stop();
        assertThat(carriers).hasValue(2);
    }

    @Test
    void carriers_are_no_more_than_the_jvm_has_threads_for() {
        for (int i = 0; i < 20; i++) {
            guard.check();
        }

        assertThat(carriers).hasValue(256);
    }

    private static final CountDownLatch INITIALIZED = new CountDownLatch(1);

    /** A class whose initialization waits for another thread. */
    private static final class Initializing {

        static final long WAITED = await();

        private static long await() {
            try {
                INITIALIZED.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return INITIALIZED.getCount();
        }
    }

    /** As many virtual threads as there are carriers keep them, and wait for one more. */
    @Test
    void virtual_threads_that_wait_for_another_one_with_their_carriers_continue()
            throws InterruptedException {
        VirtualThreadGuard real =
                new VirtualThreadGuard(
                        Thread::startVirtualThread,
                        VirtualThreadGuard.Carriers.ofJvm(),
                        _ -> TimeUnit.MILLISECONDS.sleep(100));
        int before = VirtualThreadGuard.Carriers.ofJvm().count();
        List<Thread> threads = new ArrayList<>();
        real.start();
        try {
            for (int i = 0; i < before; i++) {
                threads.add(
                        Thread.startVirtualThread(() -> assertThat(Initializing.WAITED).isZero()));
            }
            threads.add(Thread.startVirtualThread(INITIALIZED::countDown));
            for (Thread thread : threads) {
                thread.join();
            }
        } finally {
            real.stop();
        }
        assertThat(VirtualThreadGuard.Carriers.ofJvm().count()).isEqualTo(before);
    }
}
