package io.kubemirror.reflector;

import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.OverBudgetException;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.ResourceCollection;
import io.kubemirror.upstream.UpstreamApi;

import java.time.Duration;
import java.time.Instant;

/**
 * The collaborators that the states of one reflector share.
 *
 * @param api the API server
 * @param writer the mirror's writer
 * @param settings the settings of the collection
 * @param environment clock, randomness, and sleep
 * @param counts the counters
 * @param reporter reports to readers and the log
 * @param retryState the recent failures
 * @param requestPacer limits the rate of requests
 * @param capabilities what is known about the server
 * @param resyncRequest the auditor's request to resynchronize
 */
record ReflectorContext(
        UpstreamApi api,
        MirrorWriter writer,
        ReflectorSettings settings,
        ReflectorEnvironment environment,
        ReflectorCounts counts,
        StatusReporter reporter,
        RetryState retryState,
        RequestPacer requestPacer,
        ServerCapabilities capabilities,
        ResyncRequest resyncRequest) {

    /** The interval between lists of a collection that cannot be watched (list-watch.md#up-35). */
    private static final Duration POLL = Duration.ofSeconds(5);

    ReflectorContext(
            UpstreamApi api,
            MirrorWriter writer,
            ReflectorSettings settings,
            ReflectorEnvironment environment,
            ReflectorCounts counts) {
        this(
                api,
                writer,
                settings,
                environment,
                counts,
                new StatusReporter(writer, environment.clock()),
                new RetryState(
                        new Backoff(environment),
                        new Backoff(environment),
                        settings.timeouts().internalErrors()),
                new RequestPacer(environment.clock()),
                new ServerCapabilities(settings.strategy(), api, environment.clock()),
                new ResyncRequest());
    }

    /**
     * The wait before another attempt at a collection that is too large; up to a fifth is added at
     * random.
     */
    private static final Duration TOO_LARGE = Duration.ofMinutes(5);

    private static final double SCATTER = 0.2;

    /**
     * Returns the initial state. The reflectors of one process start at different times
     * (list-watch.md#bo-7).
     */
    ReflectorState first() {
        long spread = settings.timeouts().startSpread().toMillis();
        ReflectorState resolving = new ReflectorState.Resolving();
        return spread == 0
                ? resolving
                : new ReflectorState.BackingOff(
                        Duration.ofMillis(environment.random().nextLong(spread)), resolving);
    }

    Instant now() {
        return environment.clock().instant();
    }

    /** Backs off after a refused or broken request, at least as long as the server asks for. */
    ReflectorState backOff(Failure failure, Permission needed, ReflectorState next) {
        return backOff(FailureMessage.to(failure, needed), failure, next);
    }

    /** Backs off after refused or broken discovery. */
    ReflectorState backOff(Failure failure, ReflectorState next) {
        return backOff(FailureMessage.toDiscovery(failure), failure, next);
    }

    private ReflectorState backOff(
            FailureMessage failureMessage, Failure failure, ReflectorState next) {
        return switch (failure) {
            case Failure.Unreachable unreachable ->
                    restUnreached(failureMessage, unreachable, next);
            case Failure.Refused refused -> restRefused(failureMessage, refused, next);
            case Failure.Malformed _ ->
                    backOff(failureMessage, retry(failure), retryState.failed(failure), next);
        };
    }

    /**
     * Backs off after a refusal. A server that is too busy holds back the other reflectors of this
     * process too.
     */
    private ReflectorState restRefused(
            FailureMessage failureMessage, Failure.Refused refused, ReflectorState next) {
        reporter.contacted();
        Duration delay = retryState.failed(refused);
        if (refused.status().code() == 429) {
            environment.probe().throttled(delay);
        } else {
            environment.probe().answered();
        }
        return backOff(failureMessage, retry(refused), delay, next);
    }

    /** Records that discovery was answered. */
    void resolved() {
        reporter.resolved();
        environment.probe().answered();
    }

    /** Records that a list or a watch was accepted. */
    void accepted(Verb verb) {
        reporter.accepted(verb);
        environment.probe().answered();
    }

    /**
     * Waits only until the server accepts connections again, if the failure was one of connecting.
     */
    private ReflectorState restUnreached(
            FailureMessage failureMessage, Failure.Unreachable failure, ReflectorState next) {
        Instant contact = writer.mirror().upstream().contact();
        Duration delay = retryState.unreached(failure, contact, now());
        report(failureMessage, Counter.RETRIES_UNREACHABLE, delay);
        return switch (failure.kind()) {
            case REFUSED, BROKEN -> new ReflectorState.BackingOff(delay, failure, next);
            case UNTRUSTED -> new ReflectorState.BackingOff(delay, next);
        };
    }

    private static Counter retry(Failure failure) {
        return switch (failure) {
            case Failure.Refused refused when refused.status().code() == 429 ->
                    Counter.RETRIES_THROTTLED;
            case Failure.Refused refused when Lister.isExpired(refused) -> Counter.RETRIES_EXPIRED;
            case Failure.Refused _ -> Counter.RETRIES_REFUSED;
            case Failure.Unreachable _ -> Counter.RETRIES_UNREACHABLE;
            case Failure.Malformed _ -> Counter.RETRIES_MALFORMED;
        };
    }

    /** Polls: changes cannot be watched, so the next list finds them. */
    ReflectorState poll(ResourceCollection collection) {
        reporter.contacted();
        reporter.backingOff(
                Phase.POLLING,
                "the server allows no watch of it, so that changes show only every 5 s",
                POLL);
        return new ReflectorState.BackingOff(
                POLL, new ReflectorState.Synchronizing(collection, new SyncStart.MostRecent()));
    }

    /** Backs off because the revision is expired. */
    ReflectorState backOffExpired(Status status, ReflectorState next) {
        reporter.contacted();
        environment.probe().answered();
        String problem = new Failure.Refused(status).summary();
        return backOff(
                FailureMessage.of(problem), Counter.RETRIES_EXPIRED, retryState.expired(), next);
    }

    /**
     * Handles a collection that does not fit. A mirror with content drops it, since it would soon
     * be stale, and synchronizes again at once, as the list may fit in place of the content. A
     * mirror without content waits.
     */
    ReflectorState overBudget(OverBudgetException tooLarge) {
        String problem = reporter.tooLarge(tooLarge);
        counts.count(Counter.RETRIES_OVER_BUDGET);
        if (writer.mirror().snapshot().isPresent()) {
            writer.drop();
            reporter.backingOff(Phase.OVER_BUDGET, problem, Duration.ZERO);
            return new ReflectorState.Resolving();
        }
        double extra = environment.random().nextDouble(SCATTER);
        Duration delay = TOO_LARGE.plusMillis((long) (TOO_LARGE.toMillis() * extra));
        reporter.backingOff(Phase.OVER_BUDGET, problem, delay);
        return new ReflectorState.BackingOff(delay, new ReflectorState.Resolving());
    }

    /** Backs off after a defect of kubemirror itself. */
    ReflectorState defect(RuntimeException defect) {
        reporter.defect(defect);
        FailureMessage failureMessage =
                FailureMessage.of("internal error: " + defect.getClass().getName());
        return backOff(
                failureMessage,
                Counter.RETRIES_DEFECT,
                retryState.failed(),
                new ReflectorState.Resolving());
    }

    /** Backs off after any other failure. */
    ReflectorState backOff(String problem, ReflectorState next) {
        return backOff(
                FailureMessage.of(problem), Counter.RETRIES_INTERRUPTED, retryState.failed(), next);
    }

    private ReflectorState backOff(
            FailureMessage failureMessage, Counter retry, Duration delay, ReflectorState next) {
        report(failureMessage, retry, delay);
        return new ReflectorState.BackingOff(delay, next);
    }

    private void report(FailureMessage failureMessage, Counter retry, Duration delay) {
        // An interrupted request fails too, but only because the reflector is being closed.
        if (!Thread.currentThread().isInterrupted()) {
            counts.count(retry);
            reporter.backingOff(Phase.BACKING_OFF, failureMessage.problem(), delay);
            reporter.denied(failureMessage.denied());
        }
    }
}
