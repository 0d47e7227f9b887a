package io.kubemirror.testing;

import module java.base;

import io.kubemirror.model.DurationRange;
import io.kubemirror.model.PeriodicThread.Sleeper;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.model.SteadyClock;
import io.kubemirror.reflector.ReflectorEnvironment;
import io.kubemirror.reflector.ReflectorSettings;
import io.kubemirror.reflector.ReflectorSettings.ReflectorTimeouts;
import io.kubemirror.reflector.ReflectorSettings.RetrySettings;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorSettings.WatchForm;
import io.kubemirror.source.StoredFields;

/** Environments and settings of reflectors, with the defaults of the configuration. */
public final class ReflectorEnvironments {

    private ReflectorEnvironments() {}

    /** Limits without a spread of starts and without audits. */
    public static ReflectorTimeouts timeouts() {
        return timeouts(Duration.ZERO, Duration.ZERO);
    }

    /** Limits with the defaults for retries. */
    public static ReflectorTimeouts timeouts(Duration startSpread, Duration auditInterval) {
        return new ReflectorTimeouts(startSpread, auditInterval, Duration.ofSeconds(30), retries());
    }

    /** The defaults of when to try again after failures. */
    public static RetrySettings retries() {
        return new RetrySettings(
                Duration.ofMillis(800), Duration.ofSeconds(30), Duration.ofMinutes(2), 5);
    }

    /** The default form of watches. */
    public static WatchForm watches() {
        return new WatchForm(
                new DurationRange(Duration.ofMinutes(5), Duration.ofMinutes(10)), true);
    }

    /** Settings with the defaults for how to read. */
    public static ReflectorSettings settings(
            Strategy strategy,
            int pageSize,
            StoredFields transform,
            List<SelectableField> indexed,
            ReflectorTimeouts timeouts) {
        return new ReflectorSettings(strategy, pageSize, transform, indexed, watches(), timeouts);
    }

    /** An environment in which no change is followed. */
    public static ReflectorEnvironment sharing(
            InstantSource clock, RandomGenerator random, Sleeper sleeper, Semaphore lists) {
        return new ReflectorEnvironment(new SteadyClock(clock, clock), random, sleeper, lists);
    }

    /** An environment of one reflector. */
    public static ReflectorEnvironment alone(
            InstantSource clock, RandomGenerator random, Sleeper sleeper) {
        return sharing(clock, random, sleeper, new Semaphore(1, /* fair= */ true));
    }
}
