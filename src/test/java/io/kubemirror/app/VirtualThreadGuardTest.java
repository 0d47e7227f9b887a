package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.WaitLimit;

import jdk.management.VirtualThreadSchedulerMXBean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import java.lang.management.ManagementFactory;

@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class VirtualThreadGuardTest {

    private final List<Runnable> waiting = new ArrayList<>();
    private final AtomicInteger carriers = new AtomicInteger(2);

    private final VirtualThreadGuard guard =
            new VirtualThreadGuard(waiting::add, carriers::get, carriers::set, Thread::sleep);

    private void runAll() {
        waiting.forEach(Runnable::run);
        waiting.clear();
    }

    @Test
    void virtual_threads_that_run_keep_their_carriers() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            guard.check();
            runAll();
        }

        assertThat(carriers).hasValue(2);
    }

    @Test
    void virtual_threads_that_do_not_run_get_more_carriers_until_they_do()
            throws InterruptedException {
        guard.check();
        guard.check();
        assertThat(carriers).hasValue(4);
        guard.check();
        assertThat(carriers).hasValue(8);

        runAll();
        guard.check();
        assertThat(carriers).hasValue(2);
    }

    @ParameterizedTest
    @CsvSource({"2, false", "3, true"})
    void only_a_wait_of_more_than_a_second_is_a_warning(
            int checks, boolean warns, CapturedOutput output) throws InterruptedException {
        for (int i = 0; i < checks; i++) {
            guard.check();
        }
        runAll();
        guard.check();

        assertThat(output.getAll().contains("WARN")).isEqualTo(warns);
    }

    @Test
    void carriers_are_taken_back_when_the_guard_stops() throws InterruptedException {
        guard.check();
        guard.check();
        assertThat(carriers).hasValue(4);

        guard.stop();
        assertThat(carriers).hasValue(2);
    }

    @Test
    void carriers_are_no_more_than_the_jvm_has_threads_for() throws InterruptedException {
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

    /**
     * As many virtual threads as there are carriers keep them, and wait for one more, when many
     * threads have submitted others: no queue of submissions looks empty then.
     */
    @Test
    void virtual_threads_that_wait_for_another_one_with_their_carriers_continue()
            throws InterruptedException {
        VirtualThreadSchedulerMXBean scheduler =
                ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
        AtomicInteger checks = new AtomicInteger();
        VirtualThreadGuard real =
                new VirtualThreadGuard(
                        Thread::startVirtualThread,
                        scheduler::getParallelism,
                        scheduler::setParallelism,
                        _ -> {
                            checks.incrementAndGet();
                            TimeUnit.MILLISECONDS.sleep(50);
                        });
        int before = scheduler.getParallelism();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < before; i++) {
            threads.add(Thread.startVirtualThread(() -> assertThat(Initializing.WAITED).isZero()));
        }
        WaitLimit.until(() -> scheduler.getMountedVirtualThreadCount() == before);
        for (int i = 0; i < 200; i++) {
            Thread.ofPlatform().start(VirtualThreadGuardTest::submit).join();
        }
        threads.add(Thread.startVirtualThread(INITIALIZED::countDown));

        real.start();
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } finally {
            real.stop();
        }
        assertThat(scheduler.getParallelism()).isEqualTo(before);
        assertThat(checks).hasValueLessThan(100);
    }

    private static void submit() {
        for (int i = 0; i < 3; i++) {
            Thread.startVirtualThread(() -> {});
        }
    }
}
