package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.UnreachableServer.Outage;
import io.kubemirror.reflector.UnreachableServer.Way;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.ReflectorEnvironments;
import io.kubemirror.testing.SilentLog;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;

/**
 * Measures in virtual time how long it takes until the mirrors of a process are up to date after a
 * server accepts connections again. Each has a whole state machine, and they share a probe.
 */
@ExtendWith(SilentLog.class)
class RecoveryTest {

    private static final Duration UP = Duration.ofSeconds(7);

    /** Each row is one process after the other until there are enough recoveries for a p99. */
    @ParameterizedTest
    @CsvSource({
        "REFUSING,1,1,1",
        "REFUSING,5,1,1",
        "REFUSING,20,1,1",
        "REFUSING,60,1,1",
        "REFUSING,600,1,1",
        "REFUSING,1,20,1",
        "REFUSING,5,20,1",
        "REFUSING,60,20,1",
        "REFUSING,1,1,50",
        "REFUSING,5,1,50",
        "REFUSING,20,1,50",
        "REFUSING,60,1,50",
        "REFUSING,600,1,50",
        "REFUSING,1,20,50",
        "REFUSING,20,20,50",
        "CLOSING,1,1,1",
        "CLOSING,5,20,1",
        "CLOSING,60,1,1",
        "CLOSING,600,1,1",
        "CLOSING,1,20,50",
        "CLOSING,20,20,50",
        "CLOSING,600,1,50",
        "FORGETTING,1,1,1",
        "FORGETTING,20,20,1",
        "FORGETTING,600,1,1",
        "FORGETTING,1,20,50",
        "FORGETTING,60,1,50"
    })
    void mirror_recovers_within_three_seconds_after_an_outage(
            Way way, int seconds, int outages, int mirrors) throws InterruptedException {
        List<Duration> recoveries = new ArrayList<>();
        int enough = seconds > 60 ? 50 : 300;
        for (int seed = 0; recoveries.size() < enough; seed++) {
            recoveries.addAll(
                    new Sidecar(way, Duration.ofSeconds(seconds), outages, seed).run(mirrors));
        }

        recoveries.sort(null);
        Duration p99 = recoveries.get((int) Math.ceil(recoveries.size() * 0.99) - 1);
        assertThat(p99).isLessThan(Duration.ofSeconds(3));
        assertThat(recoveries.getLast()).isLessThan(Duration.ofSeconds(6));
    }

    /** The mirrors of one process, and one server. */
    private static final class Sidecar {

        private final VirtualTime time = new VirtualTime();
        private final List<Outage> outages = new ArrayList<>();
        private final List<Duration> recoveries = new ArrayList<>();
        private final UnreachableServer server;
        private final ReflectorEnvironment environment;

        Sidecar(Way way, Duration away, int number, int seed) {
            RandomGenerator random = new Random(seed);
            Instant from = time.instant();
            for (int i = 0; i < number; i++) {
                from = from.plus(UP).plusMillis(random.nextInt(1_000));
                outages.add(new Outage(from, from.plus(away)));
                from = from.plus(away);
            }
            server = new UnreachableServer(time, way, outages);
            environment =
                    ReflectorEnvironments.sharing(
                            time,
                            random,
                            time::sleep,
                            new ListLimiter(50),
                            new ConnectionProbe(
                                    server::acceptsConnections, time, random, time::sleep));
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
                            new MirrorWriter(mirror, () -> 0),
                            StateMachineHarness.settings(Strategy.AUTO),
                            environment,
                            new ReflectorCounts());
            Revision last = revision(100L + outages.size());
            ReflectorState state = new ReflectorState.Resolving();
            int recovered = 0;
            while (mirror.revision().isBefore(last)) {
                state = machine.step(state);
                while (isRecovered(mirror, recovered)) {
                    recoveries.add(Duration.between(outages.get(recovered).to(), time.instant()));
                    recovered++;
                }
            }
            machine.stop(state);
        }

        private boolean isRecovered(Mirror mirror, int recovered) {
            return recovered < outages.size()
                    && !mirror.revision().isBefore(revision(101L + recovered));
        }
    }
}
