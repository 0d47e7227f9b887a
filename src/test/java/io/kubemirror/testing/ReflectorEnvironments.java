package io.kubemirror.testing;

import io.kubemirror.model.Sleeper;
import io.kubemirror.reflector.ConnectionProbe;
import io.kubemirror.reflector.ListLimiter;
import io.kubemirror.reflector.ReflectorEnvironment;
import io.kubemirror.reflector.ReflectorSettings.ReflectorTimeouts;

import java.time.Duration;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/** Environments of reflectors that share nothing with others. */
public final class ReflectorEnvironments {

    /** Makes a probe look at the server only when a wait is over. */
    private static final RandomGenerator RARELY =
            new RandomGenerator() {
                @Override
                public long nextLong() {
                    return 0;
                }

                @Override
                public long nextLong(long origin, long bound) {
                    return Duration.ofDays(1).toMillis();
                }
            };

    private ReflectorEnvironments() {}

    /** Limits without a spread of starts and without audits. */
    public static ReflectorTimeouts timeouts() {
        Duration limit = Duration.ofSeconds(30);
        return new ReflectorTimeouts(Duration.ZERO, limit, limit, Duration.ZERO);
    }

    /** An environment in which every wait for an unreachable server takes its whole time. */
    public static ReflectorEnvironment alone(
            InstantSource clock, RandomGenerator random, Sleeper sleeper) {
        return new ReflectorEnvironment(
                clock,
                random,
                sleeper,
                new ListLimiter(1),
                new ConnectionProbe(() -> false, clock, RARELY, sleeper));
    }
}
