package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.Unchecked;

import org.junit.jupiter.api.Test;

/** Tests when the server is probed, and which reflectors a result releases. */
class ConnectionProbeTest {

    private static final Duration LONGEST = Duration.ofSeconds(60);

    private final VirtualTime time = new VirtualTime();
    private final List<Instant> asked = new ArrayList<>();
    private final List<Instant> gone = new ArrayList<>();
    private Instant back = time.instant().plusSeconds(30);

    private final ConnectionProbe probe =
            new ConnectionProbe(this::accepts, time, new Random(3), time::sleep);

    private boolean accepts() {
        asked.add(time.instant());
        return !time.instant().isBefore(back);
    }

    private void await(boolean refused, boolean expected) {
        time.add(
                () -> {
                    assertThat(probe.await(LONGEST, refused)).isEqualTo(expected);
                    gone.add(time.instant());
                    probe.answered();
                });
    }

    @Test
    void probe_releases_one_waiter_per_second_without_a_response() throws Exception {
        for (int i = 0; i < 5; i++) {
            time.add(
                    () -> {
                        assertThat(probe.await(LONGEST, true)).isTrue();
                        gone.add(time.instant());
                    });
        }
        time.run();

        for (int i = 1; i < 5; i++) {
            assertThat(Duration.between(gone.get(i - 1), gone.get(i)))
                    .isBetween(Duration.ofSeconds(1), Duration.ofMillis(1_600));
        }
    }

    @Test
    void throttled_request_delays_the_other_waiters() throws Exception {
        Duration delay = Duration.ofSeconds(7);
        for (int i = 0; i < 3; i++) {
            time.add(
                    () -> {
                        assertThat(probe.await(LONGEST, true)).isTrue();
                        if (gone.isEmpty()) {
                            probe.throttled(delay);
                        }
                        gone.add(time.instant());
                    });
        }
        time.run();

        assertThat(gone.get(1)).isAfterOrEqualTo(gone.getFirst().plus(delay));
    }

    @Test
    void waiters_share_one_probe_per_second_and_continue_spread_over_half_a_second()
            throws Exception {
        for (int i = 0; i < 50; i++) {
            await(true, true);
        }
        time.run();

        assertThat(asked).hasSizeBetween(20, 40);
        for (int i = 1; i < asked.size(); i++) {
            assertThat(Duration.between(asked.get(i - 1), asked.get(i)))
                    .isBetween(Duration.ofMillis(800), Duration.ofMillis(1_700));
        }
        Instant found = asked.getLast();
        assertThat(gone).hasSize(50).allMatch(at -> !at.isBefore(found));
        assertThat(gone.getLast()).isBefore(found.plusMillis(500));
        assertThat(gone.stream().distinct().count()).isGreaterThan(25);
    }

    @Test
    void server_that_always_accepted_connections_is_left_to_the_backoff() throws Exception {
        back = time.instant();
        await(false, false);
        time.run();

        assertThat(Duration.between(Simulation.BEGIN, gone.getFirst())).isEqualTo(LONGEST);
    }

    @Test
    void broken_connection_waits_for_the_server_once_a_probe_finds_it_down() throws Exception {
        await(false, true);
        time.run();

        assertThat(gone.getFirst()).isBetween(back, back.plusSeconds(2));
    }

    @Test
    void probe_sends_nothing_without_waiters() throws Exception {
        await(true, true);
        time.add(
                () -> {
                    time.sleep(Duration.ofMinutes(10));
                    assertThat(asked.getLast()).isBefore(back.plusSeconds(2));
                });
        time.run();
    }

    /** With real threads: while one probes, the others neither probe nor wait for it. */
    @Test
    void only_one_thread_probes_and_no_other_thread_blocks_on_it() throws Exception {
        CountDownLatch asking = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        AtomicInteger together = new AtomicInteger();
        ConnectionProbe slow =
                new ConnectionProbe(
                        () -> {
                            together.incrementAndGet();
                            asking.countDown();
                            Unchecked.run(answered::await);
                            return true;
                        },
                        () -> Simulation.BEGIN,
                        new Random(3),
                        _ -> {});
        Thread first =
                Thread.ofVirtual().start(() -> Unchecked.call(() -> slow.await(LONGEST, true)));
        assertThat(asking.await(30, TimeUnit.SECONDS)).isTrue();

        assertThat(slow.await(LONGEST, true)).isFalse();

        answered.countDown();
        first.join();
        assertThat(together).hasValue(1);
    }
}
