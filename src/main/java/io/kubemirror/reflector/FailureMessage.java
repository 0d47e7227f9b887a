package io.kubemirror.reflector;

import io.kubemirror.mirror.MirrorMemory.OverBudgetException;
import io.kubemirror.mirror.MirrorMemory.OverBudgetException.Excess;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.source.Failure;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * The message for operators about a failure: one line with the cause and a remedy.
 *
 * <p>A missing permission is named as kubectl names it, whatever the server's own message is,
 * because an authorizer behind a webhook may return any text. The server's own message is appended,
 * since it names the user that the server sees.
 *
 * @param problem the line
 * @param denied the kinds of requests that prove, once one is accepted, that the credentials and
 *     their permissions are sufficient again; empty for other failures
 */
record FailureMessage(String problem, Set<Verb> denied) {

    private static final String LESS =
            "mirror less by drop-fields, metadata-only, selectors, or namespaces";

    private static final Set<Verb> ALL = EnumSet.allOf(Verb.class);

    /** Creates a message about a failure that is not about permissions. */
    static FailureMessage of(String problem) {
        return new FailureMessage(problem, Set.of());
    }

    /**
     * Creates a message about the failure of a list or a watch.
     *
     * @param needed the permission that the request requires
     * @param upstream the name of the properties that lead to the server
     */
    static FailureMessage to(Failure failure, Permission needed, String upstream) {
        String lack = needed.denialMessage();
        String user = failure.summary().contains(lack) ? "" : "; kubemirror's user " + lack;
        return to(
                failure,
                user + "; grant kubemirror's user get, list and watch on the resource",
                Set.of(needed.verb()),
                upstream);
    }

    /** Creates a message about the failure of discovery. */
    static FailureMessage toDiscovery(Failure failure, String upstream) {
        return to(
                failure,
                "; grant kubemirror's user get on the paths under /api and /apis, as the"
                        + " cluster role system:discovery does",
                ALL,
                upstream);
    }

    private static FailureMessage to(
            Failure failure, String grant, Set<Verb> denied, String upstream) {
        String summary = failure.summary();
        return switch (failure) {
            case Failure.Refused refused when refused.status().code() == 403 ->
                    new FailureMessage(summary + grant, denied);
            case Failure.Refused refused when refused.status().code() == 401 -> {
                String read = refused.renewed() ? "read again and rejected again" : "rejected";
                yield new FailureMessage(
                        "%s; the credentials were %s; check the credentials that %s refers to"
                                .formatted(summary, read, upstream),
                        ALL);
            }
            case Failure.Unreachable _ ->
                    of(
                            "%s; check that the server is running and that %s refers to it"
                                    .formatted(summary, upstream));
            case Failure.Refused _, Failure.Malformed _ -> of(summary);
        };
    }

    /**
     * Returns the problem of a collection that does not fit: how much memory it needs, and possible
     * remedies.
     *
     * @param tooLarge what did not fit
     * @param remaining the number of objects still to come, 0 if unknown
     */
    static String tooLarge(Excess tooLarge, long remaining) {
        long all = tooLarge.objects() + remaining;
        double factor = (double) all / Math.max(1, tooLarge.objects());
        String needed =
                String.format(
                        Locale.ROOT,
                        "%,d objects need %,.1f MB",
                        tooLarge.objects() + 1,
                        tooLarge.bytes() / 1e6);
        String more =
                remaining == 0
                        ? " so far"
                        : String.format(
                                Locale.ROOT,
                                ", and all %,d about %,.1f MB",
                                all,
                                tooLarge.bytes() * factor / 1e6);
        return needed + more + remedy(tooLarge.limit(), tooLarge.allowed()) + LESS;
    }

    private static String remedy(OverBudgetException.Limit limit, long allowed) {
        return switch (limit) {
            case OBJECTS ->
                    String.format(
                            Locale.ROOT, ", but max-objects allows %,d; raise it, or ", allowed);
            case BYTES ->
                    String.format(
                            Locale.ROOT,
                            ", but max-bytes allows %,.1f MB; raise it, or ",
                            allowed / 1e6);
            case SHARED ->
                    String.format(
                            Locale.ROOT,
                            ", but the memory budget for all mirrors allows %,.1f MB; raise"
                                    + " the heap (-Xmx or the container's memory) and"
                                    + " kubemirror.memory.limit if it is set, or ",
                            allowed / 1e6);
        };
    }
}
