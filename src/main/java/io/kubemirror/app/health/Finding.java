package io.kubemirror.app.health;

import module java.base;

import tools.jackson.databind.EnumNamingStrategies.KebabCaseStrategy;
import tools.jackson.databind.annotation.EnumNaming;

/**
 * A problem or a note for operators, in one line. One cause is one finding, wherever it is shown.
 *
 * @param severity the severity
 * @param kind the category
 * @param mirror the affected mirror, empty for several, which the line names, and the process
 * @param text the line, without names of objects and clients
 * @param action what to do about it, in one or two sentences
 */
public record Finding(Severity severity, Kind kind, String mirror, String text, String action) {

    /** Creates a finding with the action for its category. */
    public Finding(Severity severity, Kind kind, String mirror, String text) {
        this(severity, kind, mirror, text, kind.action);
    }

    /** Returns a warning about the process; none if nothing is wrong. */
    public static List<Finding> warning(Kind kind, String problem) {
        return problem.isEmpty()
                ? List.of()
                : List.of(new Finding(Severity.WARNING, kind, "", problem));
    }

    /** The severity of a finding, the most severe first. */
    @EnumNaming(KebabCaseStrategy.class)
    public enum Severity {
        /** Clients get no responses, or stale ones. */
        ERROR,
        /** Something is wrong, but clients may not notice. */
        WARNING,
        /** Nothing is wrong at present. */
        NOTE
    }

    /** The category of a finding. */
    @EnumNaming(KebabCaseStrategy.class)
    public enum Kind {
        /** A mirror has no content yet. */
        NOT_SYNCHRONIZED(
                "Requests for it get 429 until its first list is complete. Correct the problem if"
                        + " one is named, otherwise wait; a restart does not help."),
        /** A mirror does not follow the server at present. */
        CUT_OFF(
                "Solve the problem that it names: the network, credentials, or permissions. The"
                        + " mirror serves its last state meanwhile and catches up by itself; do not"
                        + " restart it."),
        /** The API server does not have a configured resource. */
        ABSENT(
                "Correct the name, or install the definition of the resource. kubemirror looks for"
                        + " it again by itself."),
        /** A client does not read its events. */
        WATCHER(
                "Give the client more CPU, or let it select less by labels, fields, or metadata"
                        + " only. A larger kubemirror.history.span and max-bytes give it more"
                        + " time."),
        /** Little memory is left. */
        MEMORY(
                "Raise the memory limit, or mirror less: namespaces, selectors, drop-fields, or"
                        + " metadata-only."),
        /** Few file descriptors are left. */
        DESCRIPTORS(
                "Let clients close or reuse their connections, or raise the limit of open files"
                        + " (ulimit -n, LimitNOFILE)."),
        /** The configuration files, or those with objects, have a mistake. */
        CONFIGURATION("Correct the file. kubemirror reads it again by itself."),
        /** Mirrors cannot be stored. */
        STORAGE(
                "Make kubemirror.persistence.directory writable for the user of kubemirror, or free"
                        + " space on its disk. Until then, a restart costs a list."),
        /** A mirror differed from the server and was resynchronized. */
        DIFFERENCE(
                "The mirror is correct again. Report it as a bug, unless the API server was"
                        + " restored from a backup.");

        private final String action;

        Kind(String action) {
            this.action = action;
        }
    }

    /** A feature that has findings of its own. The diagnosis asks all beans of this type. */
    @FunctionalInterface
    public interface FindingSource {

        /**
         * Returns what operators should know at present. Must not block. May be called by any
         * thread.
         */
        List<Finding> findings();
    }
}
