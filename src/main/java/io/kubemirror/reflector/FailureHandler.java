package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.MirrorMemory.OverBudgetException.Excess;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;

/**
 * Decides what follows a failure: reports it, and waits for as long as the recent failures and the
 * server require.
 */
final class FailureHandler {

    /** The wait of a mirror that is about to end, because its type is gone. */
    private static final Duration GONE = Duration.ofSeconds(30);

    /** The wait between two lists of a collection that cannot be watched (list-watch.md#up-35). */
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(5);

    private final StateMachine machine;

    FailureHandler(StateMachine machine) {
        this.machine = machine;
    }

    /** Backs off after a refused or broken request, at least as long as the server asks for. */
    ReflectorState backOff(Failure failure, ReflectorState next) {
        String message = FailureMessages.failed(failure, machine.source.description().property());
        return switch (failure) {
            case Failure.Unreachable unreachable -> {
                Duration delay =
                        machine.retryState.unreached(
                                unreachable, machine.writer.mirror().upstream().answer());
                ReflectorState waiting = backOff(message, Counter.RETRIES_UNREACHABLE, delay, next);
                yield unreachable.kind() == Failure.Unreachable.Kind.UNTRUSTED
                        ? waiting
                        : new ReflectorState.BackingOff(delay, unreachable, next);
            }
            case Failure.Refused refused -> refused(message, refused, next);
            case Failure.Malformed _ -> backOff(message, next);
        };
    }

    private ReflectorState refused(String message, Failure.Refused refused, ReflectorState next) {
        Duration delay = machine.retryState.failed(refused);
        machine.reporter.answered();
        if (refused.status().code() == 429) {
            return backOff(message, Counter.RETRIES_THROTTLED, delay, next);
        }
        if (refused.status().code() == 404 && machine.settings.timeouts().missingRetry().isZero()) {
            // Only discovery tells whether the type is gone.
            return new ReflectorState.BackingOff(delay, new ReflectorState.Resolving());
        }
        return backOff(
                message,
                isExpired(refused) ? Counter.RETRIES_EXPIRED : Counter.RETRIES_REFUSED,
                delay,
                next);
    }

    /** Returns whether the requested revision or token is expired, or in the future. */
    static boolean isExpired(Failure failure) {
        return failure instanceof Failure.Refused(Status status)
                && (status.isExpired() || status.isTooLargeRevision());
    }

    /** Returns whether the same request will fail again, so that no repetition helps. */
    static boolean isLasting(Failure failure) {
        return switch (failure) {
            case Failure.Refused(var status) ->
                    status.code() < 500 && status.code() != 401 && status.code() != 429;
            case Failure.Malformed _ -> true;
            case Failure.Unreachable _ -> false;
        };
    }

    /** Backs off after any other failure. */
    ReflectorState backOff(String problem, ReflectorState next) {
        return backOff(problem, Counter.RETRIES_OTHER, machine.retryState.failed(), next);
    }

    /** Backs off after a defect of kubemirror itself, or an error of the JVM. */
    ReflectorState defect(Throwable defect) {
        machine.reporter.defect(defect);
        return backOff(
                "internal error: " + defect.getClass().getName(), new ReflectorState.Resolving());
    }

    private ReflectorState backOff(
            String problem, Counter retry, Duration delay, ReflectorState next) {
        // An interrupted request fails too, but only because the reflector is being closed.
        if (!Thread.currentThread().isInterrupted()) {
            machine.counts.count(retry);
            machine.reporter.backingOff(Phase.BACKING_OFF, problem, delay);
        }
        return new ReflectorState.BackingOff(delay, next);
    }

    /** Counts and reports that a watch failed, and backs off. */
    ReflectorState watchFailed(Failure failure, ReflectorState next) {
        machine.counts.count(Counter.WATCHES_FAILED);
        return backOff(failure, next);
    }

    /** Counts and reports that a watch ended or made no sense, and backs off. */
    ReflectorState watchFailed(String reason, ReflectorState next) {
        machine.counts.count(Counter.WATCHES_FAILED);
        return backOff(reason, next);
    }

    /**
     * Synchronizes again after the revision of a watch expired, which is no problem unless it
     * expires again.
     */
    ReflectorState watchExpired(Failure.Refused refused, ResourceCollection collection) {
        machine.counts.count(Counter.WATCHES_EXPIRED);
        machine.capabilities.expired();
        ReflectorState next = relist(collection);
        machine.reporter.answered();
        Duration delay = machine.retryState.expired();
        if (machine.retryState.repeated()) {
            return backOff(refused.summary(), Counter.RETRIES_EXPIRED, delay, next);
        }
        machine.counts.count(Counter.RETRIES_EXPIRED);
        machine.reporter.expired(refused.summary(), delay);
        return new ReflectorState.BackingOff(delay, next);
    }

    /** Polls: changes cannot be watched, so the next list finds them. */
    ReflectorState poll(ResourceCollection collection) {
        machine.reporter.backingOff(
                Phase.POLLING,
                "the server does not allow watches of this resource; polling instead",
                POLL_INTERVAL);
        return new ReflectorState.BackingOff(
                POLL_INTERVAL, new ReflectorState.Synchronizing(collection, SyncStart.MOST_RECENT));
    }

    /** Asks for the type once more. That is no problem yet: it may just have been withdrawn. */
    ReflectorState unclear(ReflectorState next) {
        Duration delay = machine.retryState.failed();
        machine.reporter.expired("the server does not have this resource now", delay);
        return new ReflectorState.BackingOff(delay, next);
    }

    /** Drops the content, because the server does not serve the type. */
    ReflectorState absent(List<String> similar) {
        machine.writer.forget();
        machine.reporter.answered();
        machine.reporter.contacted();
        if (machine.settings.timeouts().missingRetry().isZero()) {
            machine.reporter.gone();
            return new ReflectorState.BackingOff(GONE, new ReflectorState.Resolving());
        }
        Duration wait = machine.settings.timeouts().missingRetry();
        machine.reporter.backingOff(Phase.ABSENT, FailureMessages.missing(similar), wait);
        return new ReflectorState.BackingOff(wait, new ReflectorState.Resolving());
    }

    /**
     * Handles a collection that does not fit. A mirror with content drops it, since it would soon
     * be stale, and synchronizes again at once, as the list may fit in place of the content. A
     * mirror without content waits.
     */
    ReflectorState overBudget(Excess tooLarge) {
        String problem = FailureMessages.tooLarge(tooLarge);
        machine.counts.count(Counter.RETRIES_OTHER);
        if (machine.writer.mirror().snapshot().isPresent()) {
            machine.writer.drop();
            machine.reporter.backingOff(Phase.OVER_BUDGET, problem, Duration.ZERO);
            return new ReflectorState.Resolving();
        }
        Duration delay = machine.retryState.tooLarge();
        machine.reporter.backingOff(Phase.OVER_BUDGET, problem, delay);
        return new ReflectorState.BackingOff(delay, new ReflectorState.Resolving());
    }

    /**
     * Waits for the memory of another mirror that has been asked to end. What the mirror has stays,
     * and so does its phase: nothing has failed.
     */
    ReflectorState awaitMemory(ReflectorState next) {
        machine.counts.count(Counter.RETRIES_OTHER);
        return new ReflectorState.BackingOff(machine.retryState.memoryReturned(), next);
    }

    /** Returns what to ask for after a failure: the same, unless the revision itself is suspect. */
    SyncStart retry(SyncStart from) {
        return machine.retryState.tooMany() ? SyncStart.MOST_RECENT : from;
    }

    /** Returns the state that synchronizes again after a failure. */
    ReflectorState retry(ReflectorState.Synchronizing failed) {
        return new ReflectorState.Synchronizing(failed.collection(), retry(failed.from()));
    }

    /**
     * Does the same, but looks the type up again if the collection does not exist, or may have
     * another definition.
     */
    ReflectorState retry(ReflectorState.Synchronizing failed, Failure failure) {
        boolean gone = failure instanceof Failure.Refused refused && refused.status().code() == 404;
        boolean other =
                failure instanceof Failure.Malformed && !failed.collection().type().builtIn();
        return gone || other ? new ReflectorState.Resolving() : retry(failed);
    }

    /**
     * Returns the state that synchronizes after a watch that cannot continue. A server ends the
     * watches of a custom resource whose definition has changed, and does not tell why. The type of
     * restored content has just been looked up.
     */
    ReflectorState relist(ResourceCollection collection) {
        return collection.type().builtIn() || machine.writer.isRestored()
                ? new ReflectorState.Synchronizing(collection, retry(SyncStart.CACHED))
                : new ReflectorState.Resolving();
    }

    /**
     * Reopens the watch after a connection that broke or a watch that ended at once: neither says
     * anything about the revision. If that happens repeatedly, an intermediary may block watches,
     * or the server may not report what is wrong with the revision, and only a list helps.
     */
    ReflectorState reopen(ResourceCollection collection) {
        return machine.retryState.tooMany()
                ? relist(collection)
                : new ReflectorState.Opening(collection);
    }
}
