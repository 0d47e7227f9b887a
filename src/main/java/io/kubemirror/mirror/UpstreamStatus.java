package io.kubemirror.mirror;

import static java.util.Comparator.naturalOrder;

import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The state of the connection to the API server, as the reflector last reported it.
 *
 * @param phase what the reflector is doing
 * @param since when the phase began
 * @param contact when the server last answered or sent an event or a bookmark; {@link
 *     Instant#EPOCH} before the first time
 * @param problem the last failure in one line, empty since the last success
 */
public record UpstreamStatus(Phase phase, Instant since, Instant contact, String problem) {

    /** Orders by how far the mirror is from following the server. */
    private static final Comparator<UpstreamStatus> WORST =
            Comparator.comparing(
                    status ->
                            switch (status.phase) {
                                case WATCHING -> 0;
                                case POLLING -> 1;
                                case ABSENT -> 2;
                                case SYNCHRONISING -> 3;
                                case RESOLVING -> 4;
                                case BACKING_OFF -> 5;
                                case OVER_BUDGET -> 6;
                                case STOPPED -> 7;
                            });

    /** Returns the status before the first request. */
    public static UpstreamStatus starting(Instant now) {
        return new UpstreamStatus(Phase.RESOLVING, now, Instant.EPOCH, "");
    }

    /**
     * Returns the status of several mirrors together: the phase of the one that is worst off, and
     * the time of contact of the one that has heard nothing for the longest time.
     *
     * @param members at least one
     */
    static UpstreamStatus ofAll(List<UpstreamStatus> members) {
        UpstreamStatus worst = Collections.max(members, WORST);
        Instant contact = members.stream().map(UpstreamStatus::contact).min(naturalOrder()).get();
        String problem =
                Stream.concat(Stream.of(worst), members.stream())
                        .map(UpstreamStatus::problem)
                        .filter(text -> !text.isEmpty())
                        .findFirst()
                        .orElse("");
        return new UpstreamStatus(worst.phase, worst.since, contact, problem);
    }

    /** Returns the same status in another phase. */
    UpstreamStatus in(Phase other) {
        return new UpstreamStatus(other, since, contact, problem);
    }

    /** Returns the same status with a new time of contact. */
    public UpstreamStatus contacted(Instant now) {
        return new UpstreamStatus(phase, since, now, problem);
    }

    /** The activity of a reflector. */
    public enum Phase {
        /** It resolves the type by discovery. */
        RESOLVING,
        /**
         * The server does not serve the type, which therefore counts as empty and synchronized
         * (list-watch.md#in-4).
         */
        ABSENT,
        /** It lists the collection. */
        SYNCHRONISING,
        /** Changes arrive as they happen. */
        WATCHING,
        /**
         * It finds changes by repeated lists, because watches are not allowed
         * (list-watch.md#up-35).
         */
        POLLING,
        /** It waits before the next attempt. */
        BACKING_OFF,
        /** The collection does not fit into the memory budget; attempts are rare. */
        OVER_BUDGET,
        /** It has been closed. */
        STOPPED
    }
}
