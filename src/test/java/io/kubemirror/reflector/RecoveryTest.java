package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.TypeLookup;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.source.WatchStream;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.ReflectorEnvironments;
import io.kubemirror.testing.SilentLog;
import io.kubemirror.testing.Unchecked;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Measures in virtual time how long it takes until the mirrors of a process are up to date after a
 * server accepts connections again. Each has a whole state machine.
 */
@ExtendWith(SilentLog.class)
class RecoveryTest {

    private static final Duration UP = Duration.ofSeconds(7);

    /** Each row is one process after the other until there are enough recoveries for a p99. */
    @ParameterizedTest
    @CsvSource({
        "REFUSING, 1 5 20 60 600, 1, 1",
        "REFUSING, 1 5 60, 20, 1",
        "REFUSING, 1 5 20 60 600, 1, 50",
        "REFUSING, 1 20, 20, 50",
        "CLOSING, 1 60 600, 1, 1",
        "CLOSING, 5, 20, 1",
        "CLOSING, 1 20, 20, 50",
        "CLOSING, 600, 1, 50",
        "FORGETTING, 1 600, 1, 1",
        "FORGETTING, 20, 20, 1",
        "FORGETTING, 1, 20, 50",
        "FORGETTING, 60, 1, 50"
    })
    void mirror_recovers_within_three_seconds_after_an_outage(
            UnreachableServer.Way way, String seconds, int outages, int mirrors)
            throws InterruptedException {
        for (String outage : seconds.split(" ", -1)) {
            assertRecovery(way, Duration.ofSeconds(Integer.parseInt(outage)), outages, mirrors);
        }
    }

    private static void assertRecovery(
            UnreachableServer.Way way, Duration outage, int outages, int mirrors)
            throws InterruptedException {
        List<Duration> recoveries = new ArrayList<>();
        int enough = outage.toSeconds() > 60 ? 50 : 300;
        for (int seed = 0; recoveries.size() < enough; seed++) {
            recoveries.addAll(new Sidecar(way, outage, outages, seed).run(mirrors));
        }

        recoveries.sort(null);
        Duration p99 = recoveries.get((int) Math.ceil(recoveries.size() * 0.99) - 1);
        assertThat(p99).as("after %s", outage).isLessThan(Duration.ofSeconds(3));
        assertThat(recoveries.getLast()).as("after %s", outage).isLessThan(Duration.ofSeconds(6));
    }

    /** The mirrors of one process, and one server. */
    private static final class Sidecar {

        private final VirtualTime time = new VirtualTime();
        private final List<UnreachableServer.Outage> outages = new ArrayList<>();
        private final List<Duration> recoveries = new ArrayList<>();
        private final UnreachableServer server;
        private final ReflectorEnvironment environment;

        Sidecar(UnreachableServer.Way way, Duration away, int number, int seed) {
            RandomGenerator random = new Random(seed);
            Instant from = time.instant();
            for (int i = 0; i < number; i++) {
                from = from.plus(UP).plusMillis(random.nextInt(1_000));
                outages.add(new UnreachableServer.Outage(from, from.plus(away)));
                from = from.plus(away);
            }
            server = new UnreachableServer(time, way, outages);
            environment =
                    ReflectorEnvironments.sharing(time, random, time::sleep, new Semaphore(50));
        }

        List<Duration> run(int mirrors) throws InterruptedException {
            for (int i = 0; i < mirrors; i++) {
                time.add(this::reflect);
            }
            time.run();
            return recoveries;
        }

        private void reflect() throws InterruptedException {
            Mirror mirror = Mirrors.pods();
            StateMachine machine =
                    new StateMachine(
                            server,
                            Mirrors.writer(mirror, () -> 0),
                            StateMachineHarness.settings(Strategy.AUTO),
                            environment,
                            new ReflectorCounts());
            Revision last = revision(100L + outages.size());
            ReflectorState state = new ReflectorState.Resolving();
            int recovered = 0;
            while (mirror.revision().isBefore(last)) {
                state = machine.step(state);
                while (recovered < outages.size()
                        && !mirror.revision().isBefore(revision(101L + recovered))) {
                    recoveries.add(Duration.between(outages.get(recovered).to(), time.instant()));
                    recovered++;
                }
            }
            machine.stop(state);
        }
    }

    /**
     * An API server in virtual time with one outage after another. After each outage its revision
     * is higher by one, and each watch gets a bookmark with it.
     */
    static final class UnreachableServer implements Source {

        private static final Duration LATENCY = Duration.ofMillis(20);
        private static final Duration POLL = Duration.ofMillis(50);

        private final VirtualTime time;
        private final Way way;
        private final List<Outage> outages;

        /** How clients experience outages. */
        enum Way {
            /** Connections are refused. */
            REFUSING,
            /** A load balancer without a server accepts connections and closes them. */
            CLOSING,
            /** Connections are refused, and the server remembers no revision from before. */
            FORGETTING
        }

        /**
         * A time without a server.
         *
         * @param from when it begins
         * @param to when the server accepts connections again
         */
        record Outage(Instant from, Instant to) {}

        UnreachableServer(VirtualTime time, Way way, List<Outage> outages) {
            this.time = time;
            this.way = way;
            this.outages = outages;
        }

        private boolean isAway() {
            Instant now = time.instant();
            return outages.stream()
                    .anyMatch(outage -> !now.isBefore(outage.from()) && now.isBefore(outage.to()));
        }

        /** The number of outages that are over, from 100 on. */
        long revision() {
            return 100 + over();
        }

        private long over() {
            Instant now = time.instant();
            return outages.stream().filter(outage -> !now.isBefore(outage.to())).count();
        }

        @Override
        public SourceDescription description() {
            return new SourceDescription("a test", "a test", "kubemirror.upstream");
        }

        @Override
        public boolean acceptsConnections() {
            return !isAway();
        }

        private <T> Result<T> unreachable() {
            return Result.failed(
                    new Failure.Unreachable(
                            "away",
                            way == Way.CLOSING
                                    ? Failure.Unreachable.Kind.BROKEN
                                    : Failure.Unreachable.Kind.REFUSED));
        }

        private void travel() {
            Unchecked.run(() -> time.sleep(LATENCY));
        }

        @Override
        public Result<TypeLookup> resolve(ResourceName name) {
            travel();
            return isAway()
                    ? unreachable()
                    : Result.of(new TypeLookup.Found(StateMachineHarness.PODS));
        }

        @Override
        public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
            travel();
            return isAway() ? unreachable() : Result.of(new ListMeta(present(), null));
        }

        private Revision present() {
            return KubeObjects.revision(revision());
        }

        @Override
        public Result<WatchStream> watch(WatchRequest request) {
            travel();
            if (isAway()) {
                return unreachable();
            }
            Revision from = request.revision();
            boolean forgotten = way == Way.FORGETTING && from != null && from.isBefore(present());
            return forgotten && !request.initialEvents()
                    ? Result.failed(
                            new Failure.Refused(new Status(410, "Expired", "too old", null)))
                    : Result.of(new Stream(from, request.initialEvents()));
        }

        /** A watch that lasts until the next outage, or the end of all. */
        private final class Stream implements WatchStream {

            private final long opened = over();
            private boolean told;
            private final boolean initialEvents;

            Stream(@Nullable Revision from, boolean initialEvents) {
                this.initialEvents = initialEvents;
                told = !initialEvents && present().equals(from);
            }

            @Override
            public WatchFrame next() {
                if (!told) {
                    told = true;
                    return new WatchFrame.Bookmark(present(), initialEvents);
                }
                while (!isAway() && over() == opened && over() < outages.size()) {
                    rest();
                }
                return new WatchFrame.Broken("cut", BrokenKind.CUT);
            }

            private void rest() {
                Unchecked.run(() -> time.sleep(POLL));
            }

            @Override
            public void close() {
                told = true;
            }
        }
    }
}
