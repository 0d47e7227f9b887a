package io.kubemirror.reflector;

import io.kubemirror.kube.Failure;
import io.kubemirror.kube.KubeApi;
import io.kubemirror.kube.ResourceCollection;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.OverBudgetException;
import io.kubemirror.mirror.Upstream.Phase;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.State.From;

import java.time.Duration;
import java.time.Instant;

/**
 * What the states of one reflector work with.
 *
 * @param api the API server
 * @param writer the mirror's writer
 * @param settings how to reflect
 * @param surroundings clock, randomness and sleep
 * @param counts what is counted
 * @param journal what is told to people
 * @param setbacks what went wrong lately
 * @param pace how fast to ask at most
 * @param lessons what the server has turned out to be like
 * @param summons what the auditor demands
 */
record Equipment(
        KubeApi api,
        MirrorWriter writer,
        ReflectorSettings settings,
        Surroundings surroundings,
        ReflectorCounts counts,
        Journal journal,
        Setbacks setbacks,
        Pace pace,
        Lessons lessons,
        Summons summons) {

    /** How often a collection is listed that cannot be watched (UP-35). */
    private static final Duration POLL = Duration.ofSeconds(5);

    Equipment(
            KubeApi api,
            MirrorWriter writer,
            ReflectorSettings settings,
            Surroundings surroundings,
            ReflectorCounts counts) {
        this(
                api,
                writer,
                settings,
                surroundings,
                counts,
                new Journal(writer, surroundings.clock()),
                new Setbacks(
                        new Backoff(surroundings),
                        new Backoff(surroundings),
                        settings.patience().internalErrors()),
                new Pace(surroundings.clock()),
                new Lessons(settings.strategy(), api, surroundings.clock()),
                new Summons());
    }

    /** How long a collection that is too large is left alone, and up to a fifth longer. */
    private static final Duration TOO_LARGE = Duration.ofMinutes(5);

    private static final double SCATTER = 0.2;

    /** Where a reflector begins: those of one process not all at once (BO-7). */
    State first() {
        long spread = settings.patience().startSpread().toMillis();
        State resolving = new State.Resolving();
        return spread == 0
                ? resolving
                : new State.Resting(
                        Duration.ofMillis(surroundings.random().nextLong(spread)), resolving);
    }

    Instant now() {
        return surroundings.clock().instant();
    }

    /** A refused or broken request: waits, as long as the server asks for if it does. */
    State rest(Failure failure, Permission needed, State next) {
        return rest(Obstacle.to(failure, needed), failure, next);
    }

    /** Refused or broken discovery. */
    State rest(Failure failure, State next) {
        return rest(Obstacle.toDiscovery(failure), failure, next);
    }

    private State rest(Obstacle obstacle, Failure failure, State next) {
        return switch (failure) {
            case Failure.Unreachable unreachable -> restUnreached(obstacle, unreachable, next);
            case Failure.Refused refused -> restRefused(obstacle, refused, next);
            case Failure.Malformed _ ->
                    rest(obstacle, retry(failure), setbacks.failed(failure), next);
        };
    }

    /** A server that is too busy spares this process's other reflectors the same answer. */
    private State restRefused(Obstacle obstacle, Failure.Refused refused, State next) {
        journal.contacted();
        Duration delay = setbacks.failed(refused);
        if (refused.status().code() == 429) {
            surroundings.probe().throttled(delay);
        } else {
            surroundings.probe().answered();
        }
        return rest(obstacle, retry(refused), delay, next);
    }

    /** Discovery was answered. */
    void resolved() {
        journal.resolved();
        surroundings.probe().answered();
    }

    /** A list or a watch was accepted. */
    void accepted(Verb verb) {
        journal.accepted(verb);
        surroundings.probe().answered();
    }

    /** Waits no longer than until the server accepts connections again, where that may help. */
    private State restUnreached(Obstacle obstacle, Failure.Unreachable failure, State next) {
        Instant contact = writer.mirror().upstream().contact();
        Duration delay = setbacks.unreached(failure, contact, now());
        tell(obstacle, Counter.RETRIES_UNREACHABLE, delay);
        return switch (failure.kind()) {
            case REFUSED, BROKEN -> new State.Resting(delay, failure, next);
            case UNTRUSTED -> new State.Resting(delay, next);
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
    State poll(ResourceCollection collection) {
        journal.contacted();
        journal.resting(
                Phase.POLLING,
                "the server allows no watch of it, so that changes show only every 5 s",
                POLL);
        return new State.Resting(POLL, new State.Synchronising(collection, new From.MostRecent()));
    }

    /** The revision is gone. */
    State restExpired(Status status, State next) {
        journal.contacted();
        surroundings.probe().answered();
        String problem = new Failure.Refused(status).summary();
        return rest(Obstacle.of(problem), Counter.RETRIES_EXPIRED, setbacks.expired(), next);
    }

    /**
     * The collection does not fit. A mirror that has content drops it, which would not be true for
     * much longer, and synchronizes anew at once, as a list in place of the content may fit. One
     * that has none waits.
     */
    State overBudget(OverBudgetException tooLarge) {
        String problem = journal.tooLarge(tooLarge);
        counts.count(Counter.RETRIES_OVER_BUDGET);
        if (writer.mirror().snapshot().isPresent()) {
            writer.drop();
            journal.resting(Phase.OVER_BUDGET, problem, Duration.ZERO);
            return new State.Resolving();
        }
        double extra = surroundings.random().nextDouble(SCATTER);
        Duration delay = TOO_LARGE.plusMillis((long) (TOO_LARGE.toMillis() * extra));
        journal.resting(Phase.OVER_BUDGET, problem, delay);
        return new State.Resting(delay, new State.Resolving());
    }

    /** A defect of kubemirror itself. */
    State defect(RuntimeException defect) {
        journal.defect(defect);
        Obstacle obstacle = Obstacle.of("internal error: " + defect.getClass().getName());
        return rest(obstacle, Counter.RETRIES_DEFECT, setbacks.failed(), new State.Resolving());
    }

    /** Anything else that ends a cycle. */
    State rest(String problem, State next) {
        return rest(Obstacle.of(problem), Counter.RETRIES_INTERRUPTED, setbacks.failed(), next);
    }

    private State rest(Obstacle obstacle, Counter retry, Duration delay, State next) {
        tell(obstacle, retry, delay);
        return new State.Resting(delay, next);
    }

    private void tell(Obstacle obstacle, Counter retry, Duration delay) {
        // An interrupted request fails too, but only because the reflector is being closed.
        if (!Thread.currentThread().isInterrupted()) {
            counts.count(retry);
            journal.resting(Phase.BACKING_OFF, obstacle.problem(), delay);
            journal.denied(obstacle.denied());
        }
    }
}
