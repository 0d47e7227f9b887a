package io.kubemirror.parity;

import module java.base;

import io.kubemirror.testing.Unchecked;

/** Reads an open watch line by line and records its frames; for one thread. */
final class RecordedFrames implements AutoCloseable {

    private final RawExchange rawExchange;
    private final List<String> notes;
    private final UnaryOperator<String> comparable;
    private String unread = "";
    private boolean ended;

    /**
     * Frames to come.
     *
     * @param comparable what is noted of a frame
     */
    RecordedFrames(RawExchange rawExchange, List<String> notes, UnaryOperator<String> comparable) {
        this.rawExchange = rawExchange;
        this.notes = notes;
        this.comparable = frame -> comparable.apply(Equality.normalized(frame));
        notes.add(rawExchange.code() + " " + rawExchange.header("content-type"));
        if (rawExchange.code() != 200) {
            notes.add(Unchecked.call(() -> rawExchange.body().text()));
            ended = true;
        }
    }

    /** Records the given number of frames, or the end. */
    void note(int count) {
        for (int i = 0; i < count; i++) {
            notes.add(expectedLine().map(comparable).orElse("end"));
        }
    }

    /** The next line that the scenario causes: servers send other bookmarks when they choose. */
    private Optional<String> expectedLine() {
        Optional<String> line = line();
        while (line.filter(RecordedFrames::isPeriodicBookmark).isPresent()) {
            line = line();
        }
        return line;
    }

    private static boolean isPeriodicBookmark(String line) {
        return line.startsWith("{\"type\":\"BOOKMARK\"") && !line.contains("initial-events-end");
    }

    /** Records all frames to the end, and equal consecutive frames once. */
    void noteRest() {
        for (Optional<String> line = line(); line.isPresent(); line = line()) {
            String normalized = comparable.apply(line.get());
            if (!normalized.equals(notes.getLast())) {
                notes.add(normalized);
            }
        }
        notes.add("end");
    }

    /** The next line, empty at the clean end. */
    private Optional<String> line() {
        while (unread.indexOf('\n') < 0 && !ended) {
            read();
        }
        int end = unread.indexOf('\n');
        if (end < 0) {
            return Optional.empty();
        }
        String line = unread.substring(0, end);
        unread = unread.substring(end + 1);
        return Optional.of(line);
    }

    private void read() {
        try {
            byte[] chunk = rawExchange.chunk();
            ended = chunk.length == 0;
            unread += new String(chunk, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        rawExchange.close();
    }
}
