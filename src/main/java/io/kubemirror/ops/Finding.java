package io.kubemirror.ops;

import com.fasterxml.jackson.annotation.JsonValue;

import java.util.Locale;

/**
 * Something that an operator ought to know, in one line.
 *
 * @param severity how much it matters
 * @param kind what it is about
 * @param mirror the mirror that it concerns, empty for the process
 * @param text the line
 */
record Finding(Severity severity, Kind kind, String mirror, String text) {

    /** How much a finding matters; the worst comes first. */
    enum Severity {
        /** Clients get no answers, or old ones. */
        ERROR,
        /** Something is wrong, though clients need not have noticed. */
        WARNING,
        /** Nothing is wrong, or not any more. */
        NOTE;

        /** The name in the document. */
        @JsonValue
        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What can be found, and the exit code of {@code diagnose} for it. */
    enum Kind {
        /** A mirror has nothing to answer with yet. */
        NOT_SYNCHRONISED,
        /** The API server gives no answer. */
        UNREACHABLE,
        /** A permission is missing. */
        DENIED,
        /** A mirror does not follow the server at present. */
        CUT_OFF,
        /** A client does not take what it asked for. */
        WATCHER,
        /** Memory runs short. */
        MEMORY,
        /** A mirror was not what the server was, and was healed. */
        DIFFERENCE;

        /** The name in the document. */
        @JsonValue
        String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    static Finding error(Kind kind, String mirror, String text) {
        return new Finding(Severity.ERROR, kind, mirror, text);
    }

    static Finding warning(Kind kind, String mirror, String text) {
        return new Finding(Severity.WARNING, kind, mirror, text);
    }

    static Finding note(Kind kind, String mirror, String text) {
        return new Finding(Severity.NOTE, kind, mirror, text);
    }
}
