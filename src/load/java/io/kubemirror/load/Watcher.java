package io.kubemirror.load;

import java.nio.ByteBuffer;

/** What one connection has received: counts events and notices repeated and lost ones. */
final class Watcher {

    private static final String EVENT = "{\"type\":\"";
    private static final String SSE_DATA = "data: ";
    private static final String REVISION = "\"resourceVersion\":\"";

    /** The member of a config map's data with the event's number, see {@link Writer}. */
    private static final String NUMBER = "\"number\":\"";

    private final Chunks chunks = new Chunks();
    private long revision;
    private int repeats;
    private boolean ended;

    /**
     * Takes what has been read.
     *
     * @param nanos when
     * @param receipts are told of each event
     */
    void take(ByteBuffer buffer, long nanos, Receipts receipts) {
        chunks.take(buffer);
        String text = chunks.text();
        int begin = 0;
        for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', begin)) {
            line(text, begin, end, nanos, receipts);
            begin = end + 1;
        }
        chunks.consume(begin);
    }

    private void line(String text, int begin, int end, long nanos, Receipts receipts) {
        int json = text.startsWith(SSE_DATA, begin) ? begin + SSE_DATA.length() : begin;
        if (!text.startsWith(EVENT, json)) {
            return;
        }
        int number = text.indexOf(NUMBER, json);
        if (number < 0 || number > end) {
            return;
        }
        long its = digits(text, text.indexOf(REVISION, json) + REVISION.length());
        if (its <= revision) {
            repeats++;
        }
        revision = its;
        receipts.received((int) digits(text, number + NUMBER.length()), nanos);
    }

    private static long digits(String text, int begin) {
        long value = 0;
        for (int i = begin; text.charAt(i) >= '0' && text.charAt(i) <= '9'; i++) {
            value = 10 * value + text.charAt(i) - '0';
        }
        return value;
    }

    /** The server has closed the connection. */
    void end() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    boolean isAnswered() {
        return chunks.status().startsWith("HTTP/1.1 200");
    }

    /** Events that came again, or in the wrong order. */
    int repeats() {
        return repeats;
    }
}
