package io.kubemirror.feature.stream;

import module java.base;

/**
 * The position of a client in a stream: the revision of each resource (list-watch.md#ms-4). The
 * frames of a stream are those of any watch by server-sent events; each event gets the name of its
 * resource, and instead of its own revision the position. For one thread at a time.
 */
final class StreamPosition {

    private static final String SEPARATOR = ",";

    /** An event, with its revision, which is empty if the client has nothing of the resource. */
    private static final Pattern EVENT =
            Pattern.compile("(event: [A-Z]+\n)(id:(?: (\\d+))?\n)?data: \\{");

    /** Longer than the beginning of any event. */
    private static final int BEGINNING = 256;

    /** By the number of the resource; empty for one whose state is incomplete. */
    private final String[] revisions;

    private StreamPosition(String[] revisions) {
        this.revisions = revisions;
    }

    /** Returns the position before the states of all resources. */
    static StreamPosition start(int count) {
        return new StreamPosition(Collections.nCopies(count, "").toArray(String[]::new));
    }

    /**
     * Reads the id of an event.
     *
     * @param count the number of resources
     * @return empty if it is no position of so many resources
     */
    static Optional<StreamPosition> parse(String id, int count) {
        String[] revisions = id.split(SEPARATOR, -1);
        return revisions.length == count && id.matches("[0-9,]*")
                ? Optional.of(new StreamPosition(revisions))
                : Optional.empty();
    }

    /** Returns the revision of a resource, empty if its state is incomplete. */
    Optional<String> revision(int number) {
        return Optional.of(revisions[number]).filter(revision -> !revision.isEmpty());
    }

    /** Returns a frame with the name of its resource and the position, if it is an event. */
    byte[] place(byte[] frame, int number, String name) {
        String start =
                new String(frame, 0, Math.min(frame.length, BEGINNING), StandardCharsets.UTF_8);
        Matcher event = EVENT.matcher(start);
        if (!event.lookingAt()) {
            return frame;
        }
        boolean moves = event.group(2) != null;
        if (moves) {
            revisions[number] = Objects.requireNonNullElse(event.group(3), "");
        }
        byte[] beginning =
                (event.group(1)
                                + (moves ? "id: " + String.join(SEPARATOR, revisions) + "\n" : "")
                                + "data: {\"resource\":\""
                                + name
                                + "\",")
                        .getBytes(StandardCharsets.UTF_8);
        byte[] placed = Arrays.copyOf(beginning, beginning.length + frame.length - event.end());
        System.arraycopy(frame, event.end(), placed, beginning.length, frame.length - event.end());
        return placed;
    }
}
