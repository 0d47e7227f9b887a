package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.testing.ReflectorEnvironments;

import org.junit.jupiter.api.Test;

/**
 * Thousands of processes with three mirrors each wait for one server, in virtual time: the waits
 * and the probes are those that reflectors use. The server takes so many requests a second and
 * answers all others with 429.
 *
 * <p>That each process goes on within three seconds means that all of them together ask for all of
 * their watches within about two: so much is inherent. What has to be shown is that they come
 * spread over this time, that the server is asked not much more often than that it must be, and
 * that one which cannot bear it is left alone for longer each time.
 */
class StampedeTest {

    private static final int MIRRORS = 3;
    private static final Duration SLICE = Duration.ofMillis(100);

    @Test
    void probing_processes_reconnect_spread_out_at_the_capacity_of_the_server()
            throws InterruptedException {
        int processes = 10_000;
        int clients = processes * MIRRORS;
        int capacity = 5_000;
        Fleet probing = new Fleet(processes, capacity, Duration.ofSeconds(4));
        probing.run();

        assertThat(probing.most(SLICE)).isLessThan(clients / 8);
        assertThat(probing.most(Duration.ofSeconds(1))).isLessThan(capacity * 16 / 5);
        assertThat(probing.refused).isLessThan(clients);
        assertThat(probing.mostProbes()).isLessThan(processes * 5 / 4);
        Duration least = Duration.ofSeconds(clients / capacity);
        assertThat(probing.p99()).isLessThan(least.multipliedBy(3).dividedBy(2));
    }

    @Test
    void server_that_fails_under_load_recovers_within_three_minutes() throws InterruptedException {
        Fleet fleet = new Fleet(1_000, 1_000, Duration.ofSeconds(4)).overloadedAt(1_200);
        fleet.run();

        assertThat(fleet.falls).isPositive();
        assertThat(fleet.lastFall).isLessThan(Duration.ofMinutes(3));
    }

    /** All processes and their server. */
    private static final class Fleet {

        private static final Duration LATENCY = Duration.ofMillis(5);
        private static final Duration DOWN = Duration.ofSeconds(5);
        private static final Duration POLL = Duration.ofSeconds(1);

        private final VirtualTime time = new VirtualTime();
        private final RandomGenerator random = new Random(1);
        private final int processes;
        private final int capacity;
        private final Instant back;
        private final NavigableMap<Long, Integer> requests = new TreeMap<>();
        private final NavigableMap<Long, Integer> probed = new TreeMap<>();
        private final List<Duration> recoveries = new ArrayList<>();
        private int limit = Integer.MAX_VALUE;
        private Duration horizon = Duration.ZERO;
        private Instant awayUntil;
        private int falls;
        private Duration lastFall = Duration.ZERO;
        private int refused;
        private double room;
        private Instant measured;

        Fleet(int processes, int capacity, Duration away) {
            this.processes = processes;
            this.capacity = capacity;
            this.back = time.instant().plus(away);
            this.awayUntil = back;
            this.measured = back;
        }

        /** With a server that is away again for five seconds after so many requests in one. */
        Fleet overloadedAt(int requestsInASecond) {
            limit = requestsInASecond;
            horizon = Duration.ofMinutes(5);
            return this;
        }

        void run() throws InterruptedException {
            for (int i = 0; i < processes; i++) {
                ConnectionProbe probe =
                        new ConnectionProbe(this::accepts, time, random, time::sleep);
                for (int j = 0; j < MIRRORS; j++) {
                    time.add(() -> live(probe));
                }
            }
            time.run();
            recoveries.sort(null);
        }

        private boolean accepts() {
            count(probed);
            return isUp();
        }

        private boolean isUp() {
            return !time.instant().isBefore(awayUntil);
        }

        private void count(Map<Long, Integer> what) {
            if (!time.instant().isBefore(back)) {
                what.merge(slice(), 1, Integer::sum);
            }
        }

        private long slice() {
            return Duration.between(back, time.instant()).dividedBy(SLICE);
        }

        /** One mirror: connects, and again if the server falls over. */
        private void live(ConnectionProbe probe) throws InterruptedException {
            RetryState retryState = new RetryState(time, random, ReflectorEnvironments.retries());
            reconnect(probe, retryState);
            recoveries.add(Duration.between(back, time.instant()));
            while (time.instant().isBefore(back.plus(horizon))) {
                Instant opened = time.instant();
                int before = falls;
                while (falls == before && time.instant().isBefore(back.plus(horizon))) {
                    time.sleep(POLL);
                }
                if (falls > before) {
                    retryState.watched(opened);
                    reconnect(probe, retryState);
                }
            }
        }

        private void reconnect(ConnectionProbe probe, RetryState retryState)
                throws InterruptedException {
            Instant contact = time.instant();
            while (!isServed()) {
                if (isUp()) {
                    contact = time.instant();
                    Duration delay = retryState.failed(busy());
                    probe.throttled(delay);
                    time.sleep(delay);
                } else {
                    Failure.Unreachable failure =
                            new Failure.Unreachable("refused", Failure.Unreachable.Kind.REFUSED);
                    Duration delay = retryState.unreached(failure, contact);
                    if (probe.await(delay, failure.refused())) {
                        time.sleep(retryState.serverReturned());
                    }
                }
            }
            probe.answered();
        }

        private static Failure.Refused busy() {
            return new Failure.Refused(
                    new Status(429, "TooManyRequests", "busy", Status.Details.retryAfter(1)));
        }

        /** Whether a request gets through, after it has taken its time. */
        private boolean isServed() throws InterruptedException {
            time.sleep(LATENCY);
            if (!isUp()) {
                return false;
            }
            count(requests);
            overload();
            Instant now = time.instant();
            double earned = Duration.between(measured, now).toNanos() / 1e9 * capacity;
            room = Math.min(capacity / 10.0, room + earned);
            measured = now;
            boolean served = room >= 1;
            room -= served ? 1 : 0;
            refused += served ? 0 : 1;
            return served;
        }

        private void overload() {
            long last = slice();
            int second = sum(requests.subMap(last - 9, last + 1));
            if (second > limit) {
                falls++;
                lastFall = Duration.between(back, time.instant());
                awayUntil = time.instant().plus(DOWN);
            }
        }

        private static int sum(Map<Long, Integer> counts) {
            return counts.values().stream().mapToInt(Integer::intValue).sum();
        }

        /** The most requests within a span after the server is back. */
        int most(Duration span) {
            return most(requests, span);
        }

        int mostProbes() {
            return most(probed, Duration.ofSeconds(1));
        }

        private static int most(NavigableMap<Long, Integer> what, Duration span) {
            long slices = span.dividedBy(SLICE);
            return what.keySet().stream()
                    .mapToInt(first -> sum(what.subMap(first, first + slices)))
                    .max()
                    .orElse(0);
        }

        Duration p99() {
            return recoveries.get((int) Math.ceil(recoveries.size() * 0.99) - 1);
        }
    }
}
