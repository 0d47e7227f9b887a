package io.kubemirror.reflector;

import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.upstream.Failure;

import java.util.EnumSet;
import java.util.Set;

/**
 * What keeps a reflector from going on, for people: in one line, with what they can do about it.
 *
 * <p>A missing permission is named as kubectl names it, whatever the server says about it: an
 * authorizer behind a webhook may say anything. The server's own words stay, since they tell which
 * user it takes kubemirror for.
 *
 * @param problem the line
 * @param denied the kinds of requests of which one shows, by being accepted, that the credentials
 *     or their rights suffice again; none where that is not the trouble
 */
record FailureMessage(String problem, Set<Verb> denied) {

    private static final Set<Verb> ALL = EnumSet.allOf(Verb.class);

    /** Trouble that has nothing to do with rights. */
    static FailureMessage of(String problem) {
        return new FailureMessage(problem, Set.of());
    }

    /** The failure of a list or a watch for which this is needed. */
    static FailureMessage to(Failure failure, Permission needed) {
        return switch (failure) {
            case Failure.Refused refused when refused.status().code() == 403 ->
                    new FailureMessage(
                            lacking(refused.summary(), needed.lack())
                                    + "; grant kubemirror's user get, list and watch on it",
                            Set.of(needed.verb()));
            case Failure other -> general(other);
        };
    }

    private static String lacking(String summary, String lack) {
        return summary.contains(lack) ? summary : summary + "; kubemirror's user " + lack;
    }

    /** The failure of discovery. */
    static FailureMessage toDiscovery(Failure failure) {
        return switch (failure) {
            case Failure.Refused refused when refused.status().code() == 403 ->
                    new FailureMessage(
                            refused.summary()
                                    + "; grant kubemirror's user get on the paths below /api and"
                                    + " /apis, as the cluster role system:discovery does",
                            ALL);
            case Failure other -> general(other);
        };
    }

    private static FailureMessage general(Failure failure) {
        return switch (failure) {
            case Failure.Refused refused when refused.status().code() == 401 ->
                    new FailureMessage(
                            refused.summary()
                                    + (refused.renewed()
                                            ? "; the credentials were read anew and not accepted"
                                                    + " either"
                                            : "; the credentials were not accepted")
                                    + "; check those that kubemirror.upstream names",
                            ALL);
            case Failure.Unreachable _ ->
                    of(
                            failure.summary()
                                    + "; check that the API server is up and kubemirror.upstream"
                                    + " names it");
            case Failure.Refused _, Failure.Malformed _ -> of(failure.summary());
        };
    }
}
