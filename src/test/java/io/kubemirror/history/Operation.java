package io.kubemirror.history;

import module java.base;

/**
 * What one client asked and was answered.
 *
 * @param id its number in the history
 * @param client the client
 * @param replica the replica, {@code api} for the API server itself; of a stream, all that it was
 *     resumed at, separated by commas
 * @param life the number of the replica's process, negative if it was killed meanwhile
 * @param resource the plural of the type
 * @param selected what was selected
 * @param act what it is
 * @param mode which state was asked for
 * @param wanted the revision that was asked for, 0 for none
 * @param minimum the value of {@code Kubemirror-Min-Revision}, 0 for none
 * @param request the request
 * @param called when the request was sent, by {@link System#nanoTime}
 * @param returned when the answer was complete
 * @param answer the answer
 */
record Operation(
        long id,
        String client,
        String replica,
        int life,
        String resource,
        Selected selected,
        Act act,
        Mode mode,
        long wanted,
        long minimum,
        String request,
        long called,
        long returned,
        Answer answer) {

    /** Kinds of operations. */
    enum Act {
        WRITE,
        DELETE,
        GET,
        LIST,
        COUNT,
        WATCH
    }

    /** States that can be asked for. A watch that resumes asks for what follows its revision. */
    enum Mode {
        RECENT,
        ANY,
        NOT_OLDER,
        EXACT,
        RESUME
    }

    /**
     * The beginning of an answer.
     *
     * @param at when the client had read it, by {@link System#nanoTime}
     * @param code the HTTP status, negative if there was none
     * @param state {@code Kubemirror-State}
     * @param age {@code Kubemirror-Upstream-Age}, negative if there is none
     * @param told {@code Kubemirror-Revision}; of a write, {@code Kubemirror-Min-Revision};
     *     negative if there is none
     * @param error the message of an error, empty if there is none
     */
    record Head(long at, int code, String state, long age, long told, String error) {}

    /**
     * An answer.
     *
     * @param head its beginning
     * @param revision the revision in the body, negative if there is none
     * @param count the number of objects that was answered, negative if none was
     * @param objects the objects
     * @param frames the events
     * @param starved whether the client was still waiting when the run ended
     */
    record Answer(
            Head head,
            long revision,
            long count,
            List<Version> objects,
            List<Frame> frames,
            boolean starved) {

        /** No answer. */
        static final Answer LOST = lost("");

        /** No answer, for a reason. */
        static Answer lost(String reason) {
            Head none = new Head(0, -1, "", -1, -1, reason);
            return new Answer(none, -1, -1, List.of(), List.of(), false);
        }

        /** The same answer, sent in full. */
        Answer found() {
            Head full = new Head(head.at, 200, head.state, head.age, head.told, head.error);
            return new Answer(full, revision, count, objects, frames, starved);
        }

        int code() {
            return head.code;
        }

        String state() {
            return head.state;
        }

        long age() {
            return head.age;
        }

        long told() {
            return head.told;
        }

        String error() {
            return head.error;
        }

        boolean isSuccess() {
            return code() >= 200 && code() < 300;
        }
    }

    private static final String NO_TYPE = "the server could not find the requested resource";
    private static final Set<String> UPSTREAM = Set.of("proxied", "passed");

    boolean isWatch() {
        return act == Act.WATCH;
    }

    boolean isWrite() {
        return act == Act.WRITE || act == Act.DELETE;
    }

    /** Whether it asks for a state that must not be older than what was seen before. */
    boolean isOfPresent() {
        return !isWrite() && mode != Mode.EXACT && mode != Mode.RESUME;
    }

    /** Whether the API server has answered it. */
    boolean isFromUpstream() {
        return UPSTREAM.contains(answer.state());
    }

    /** Whether no mirror was concerned. */
    boolean isPassed() {
        return answer.state().equals("passed");
    }

    /** Whether an object was asked for that does not exist, while its type does. */
    boolean isMissing() {
        return act == Act.GET && answer.code() == 404 && !answer.error().startsWith(NO_TYPE);
    }

    String brief() {
        return "%s %s %s -> %d %s, revision %d%s"
                .formatted(
                        replica,
                        act,
                        request,
                        answer.code(),
                        answer.state(),
                        answer.revision(),
                        answer.error().isEmpty() ? "" : ", " + answer.error());
    }
}
