package io.kubemirror.reflector;

import io.kubemirror.kube.Failure;
import io.kubemirror.kube.KubeApi;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Upstream.Phase;
import io.kubemirror.model.Status;

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
        Summons summons) {

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
                new Setbacks(new Backoff(surroundings)),
                new Summons());
    }

    Instant now() {
        return surroundings.clock().instant();
    }

    /** A refused or broken request: waits, as long as the server asks for if it does. */
    State rest(Failure failure, State next) {
        if (failure instanceof Failure.Refused) {
            journal.contacted();
        }
        return rest(problem(failure), setbacks.failed(failure), next);
    }

    /** A failure that the server reported inside a stream. */
    State rest(Status status, State next) {
        return rest(new Failure.Refused(status), next);
    }

    /** The revision is gone. */
    State restExpired(Status status, State next) {
        journal.contacted();
        return rest(problem(new Failure.Refused(status)), setbacks.expired(), next);
    }

    /** A defect of kubemirror itself. */
    State defect(RuntimeException defect) {
        journal.defect(defect);
        return rest("internal error: " + defect.getClass().getName(), new State.Resolving());
    }

    /** Anything else that ends a cycle. */
    State rest(String problem, State next) {
        return rest(problem, setbacks.failed(), next);
    }

    private State rest(String problem, Duration delay, State next) {
        // An interrupted request fails too, but only because the reflector is being closed.
        if (!Thread.currentThread().isInterrupted()) {
            journal.resting(Phase.BACKING_OFF, problem, delay);
        }
        return new State.Resting(delay, next);
    }

    /** The failure in one line, with what people can do about it. */
    private static String problem(Failure failure) {
        return switch (failure) {
            case Failure.Refused refused -> failure.summary() + remedy(refused.status());
            case Failure.Unreachable _ ->
                    failure.summary()
                            + "; check that the API server is up and kubemirror.upstream names it";
            case Failure.Malformed _ -> failure.summary();
        };
    }

    private static String remedy(Status status) {
        return switch (status.code()) {
            case 401 -> "; check the credentials that kubemirror.upstream names";
            case 403 -> "; grant kubemirror's user get, list and watch on it";
            default -> "";
        };
    }
}
