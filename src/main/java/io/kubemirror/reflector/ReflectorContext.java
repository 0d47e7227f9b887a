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
 * What the states of one reflector work with.
 *
 * @param api the API server
 * @param writer the mirror's writer
 * @param settings how to reflect
 * @param environment clock, randomness and sleep
 * @param counts what is counted
 * @param reporter what is told to people
 * @param retryState what went wrong lately
 * @param requestPacer how fast to ask at most
 * @param capabilities what the server has turned out to be like
 * @param resyncRequest what the auditor demands
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

    /** How often a collection is listed that cannot be watched (list-watch.md#up-35). */
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

    /** How long a collection that is too large is left alone, and up to a fifth longer. */
    private static final Duration TOO_LARGE = Duration.ofMinutes(5);

    private static final double SCATTER = 0.2;

    /** Where a reflector begins: those of one process not all at once (list-watch.md#bo-7). */
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

    /** A refused or broken request: waits, as long as the server asks for if it does. */
    ReflectorState backOff(Failure failure, Permission needed, ReflectorState next) {
        return backOff(FailureMessage.to(failure, needed), failure, next);
    }

    /** Refused or broken discovery. */
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

    /** A server that is too busy spares this process's other reflectors the same answer. */
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

    /** Discovery was answered. */
    void resolved() {
        reporter.resolved();
        environment.probe().answered();
    }

    /** A list or a watch was accepted. */
    void accepted(Verb verb) {
        reporter.accepted(verb);
        environment.probe().answered();
    }

    /** Waits no longer than until the server accepts connections again, where that may help. */
    private ReflectorState restUnreached(
            FailureMessage failureMessage, Failure.Unreachable failure, ReflectorState next) {
        Instant contact = writer.mirror().upstream().contact();
        Duration delay = retryState.unreached(failure, contact, now());
        tell(failureMessage, Counter.RETRIES_UNREACHABLE, delay);
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

    /** Changes cannot be watched; the next list will tell them. */
    ReflectorState poll(ResourceCollection collection) {
        reporter.contacted();
        reporter.backingOff(
                Phase.POLLING,
                "the server allows no watch of it, so that changes show only every 5 s",
                POLL);
        return new ReflectorState.BackingOff(
                POLL, new ReflectorState.Synchronizing(collection, new SyncStart.MostRecent()));
    }

    /** The revision is gone. */
    ReflectorState backOffExpired(Status status, ReflectorState next) {
        reporter.contacted();
        environment.probe().answered();
        String problem = new Failure.Refused(status).summary();
        return backOff(
                FailureMessage.of(problem), Counter.RETRIES_EXPIRED, retryState.expired(), next);
    }

    /**
     * The collection does not fit. A mirror that has content drops it, which would not be true for
     * much longer, and synchronizes anew at once, as a list in place of the content may fit. One
     * that has none waits.
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

    /** A defect of kubemirror itself. */
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

    /** Anything else that ends a cycle. */
    ReflectorState backOff(String problem, ReflectorState next) {
        return backOff(
                FailureMessage.of(problem), Counter.RETRIES_INTERRUPTED, retryState.failed(), next);
    }

    private ReflectorState backOff(
            FailureMessage failureMessage, Counter retry, Duration delay, ReflectorState next) {
        tell(failureMessage, retry, delay);
        return new ReflectorState.BackingOff(delay, next);
    }

    private void tell(FailureMessage failureMessage, Counter retry, Duration delay) {
        // An interrupted request fails too, but only because the reflector is being closed.
        if (!Thread.currentThread().isInterrupted()) {
            counts.count(retry);
            reporter.backingOff(Phase.BACKING_OFF, failureMessage.problem(), delay);
            reporter.denied(failureMessage.denied());
        }
    }
}
