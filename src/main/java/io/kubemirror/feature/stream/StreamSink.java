package io.kubemirror.feature.stream;

import module java.base;

import io.kubemirror.api.watch.FrameBatch;
import io.kubemirror.api.watch.WatchConnection.FrameSink;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/**
 * The connection of the watches of a stream, which take turns to send (list-watch.md#streams).
 * Their frames are those of any watch by server-sent events; each gets the name of its resource,
 * and instead of its own revision the position of the stream: the revision of each resource.
 *
 * <p>Safe for use by any thread.
 */
final class StreamSink {

    private static final String SEPARATOR = ",";

    /** An event, with its position, which is empty if the client has nothing of the resource. */
    private static final Pattern EVENT =
            Pattern.compile("(event: [A-Z]+\n)(?:id:(?: (\\d+))?\n)?data: \\{");

    /** Longer than the beginning of any event. */
    private static final int BEGINNING = 256;

    private final FrameSink connection;
    private final List<String> names;

    /** The position, which the watch whose turn it is moves. */
    private final @Nullable Revision[] reached;

    /** Those that wait for their turn. Guarded by itself, as {@code busy} is. */
    private final Deque<Turn> waiting = new ArrayDeque<>();

    private boolean busy;

    /** What one watch sends. */
    private record Turn(int number, FrameBatch batch, Consumer<@Nullable IOException> later) {}

    private StreamSink(FrameSink connection, List<String> names, List<@Nullable Revision> reached) {
        this.connection = connection;
        this.names = names;
        this.reached = reached.toArray(new @Nullable Revision[0]);
    }

    /**
     * Returns the sinks of the watches, in their order.
     *
     * @param connection where they send
     * @param names the resources as the client names them
     * @param reached the position of the client
     */
    static List<FrameSink> of(
            FrameSink connection, List<String> names, List<@Nullable Revision> reached) {
        StreamSink stream = new StreamSink(connection, names, reached);
        return IntStream.range(0, names.size())
                .<FrameSink>mapToObj(
                        number ->
                                new FrameSink() {
                                    @Override
                                    public boolean send(
                                            FrameBatch batch, Consumer<@Nullable IOException> later)
                                            throws IOException {
                                        return stream.send(new Turn(number, batch, later));
                                    }

                                    @Override
                                    public void abort(Throwable cause) {
                                        connection.abort(cause);
                                    }
                                })
                .toList();
    }

    /** Returns a position as the id of an event. */
    static String text(List<@Nullable Revision> reached) {
        return reached.stream()
                .map(one -> one == null ? "" : one.digits())
                .collect(Collectors.joining(SEPARATOR));
    }

    /**
     * Reads the id of an event.
     *
     * @param count the number of resources
     * @return the revision of each resource, null for one whose state was incomplete; empty if it
     *     is no position of so many resources
     */
    static Optional<List<@Nullable Revision>> position(String id, int count) {
        String[] parts = id.split(SEPARATOR, -1);
        boolean valid = parts.length == count && id.matches("[0-9,]*");
        return valid
                ? Optional.of(
                        Arrays.stream(parts)
                                .<@Nullable Revision>map(
                                        one -> one.isEmpty() ? null : new Revision(one))
                                .toList())
                : Optional.empty();
    }

    private boolean send(Turn turn) throws IOException {
        synchronized (waiting) {
            if (busy) {
                waiting.add(turn);
                return false;
            }
            busy = true;
        }
        boolean sent = false;
        try {
            sent = take(turn);
            return sent;
        } catch (IOException | RuntimeException | Error failed) {
            sent = true;
            throw failed;
        } finally {
            if (sent) {
                takeNext();
            }
        }
    }

    /** Sends what a watch has, and returns whether all of it has been sent. */
    private boolean take(Turn turn) throws IOException {
        return connection.send(
                FrameBatch.of(
                        turn.batch().frames().stream()
                                .map(frame -> placed(frame, turn.number()))
                                .toList()),
                why -> {
                    turn.later().accept(why);
                    takeNext();
                });
    }

    /** Gives those that wait their turn, until one has to be sent later. */
    private void takeNext() {
        boolean sent = true;
        while (sent) {
            Turn next;
            synchronized (waiting) {
                next = waiting.poll();
                busy = next != null;
            }
            if (next == null) {
                return;
            }
            try {
                sent = take(next);
                if (sent) {
                    next.later().accept(null);
                }
            } catch (IOException broken) {
                next.later().accept(broken);
            } catch (RuntimeException | Error failed) {
                next.later().accept(new IOException("the stream failed", failed));
            }
        }
    }

    /** Returns a frame with the name of its resource and the position, if it is an event. */
    private byte[] placed(byte[] frame, int number) {
        String start =
                new String(frame, 0, Math.min(frame.length, BEGINNING), StandardCharsets.UTF_8);
        Matcher event = EVENT.matcher(start);
        if (!event.lookingAt()) {
            return frame;
        }
        String revision = event.group(2);
        boolean moves = event.group().contains("\nid:");
        if (moves) {
            reached[number] = revision == null ? null : new Revision(revision);
        }
        byte[] beginning =
                (event.group(1)
                                + (moves ? "id: " + text(Arrays.asList(reached)) + "\n" : "")
                                + "data: {\"resource\":\""
                                + names.get(number)
                                + "\",")
                        .getBytes(StandardCharsets.UTF_8);
        byte[] placed = Arrays.copyOf(beginning, beginning.length + frame.length - event.end());
        System.arraycopy(frame, event.end(), placed, beginning.length, frame.length - event.end());
        return placed;
    }
}
