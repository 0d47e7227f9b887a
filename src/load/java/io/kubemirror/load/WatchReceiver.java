package io.kubemirror.load;

/** What one connection has received: counts events and notices repeated and lost ones. */
final class WatchReceiver {

    private static final String EVENT = "{\"type\":\"";
    private static final String SSE_DATA = "data: ";
    private static final String REVISION = "\"resourceVersion\":\"";

    /** The member of a config map's data with the event's number, see {@link ConfigMapWriter}. */
    private static final String NUMBER = "\"number\":\"";

    private final DeliveryTimes deliveryTimes;
    private final ChunkDecoder chunkDecoder = new ChunkDecoder(this::lines);
    private long read;
    private long revision;
    private int repeats;
    private boolean ended;

    /**
     * Creates a receiver.
     *
     * @param deliveryTimes record each event
     */
    WatchReceiver(DeliveryTimes deliveryTimes) {
        this.deliveryTimes = deliveryTimes;
    }

    /**
     * Takes what has been read.
     *
     * @param bytes from their beginning
     * @param end their number
     * @param nanos when they were read
     */
    void take(byte[] bytes, int end, long nanos) {
        read = nanos;
        chunkDecoder.take(bytes, end);
    }

    private void lines(String text) {
        int begin = 0;
        for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', begin)) {
            line(text, begin, end);
            begin = end + 1;
        }
    }

    private void line(String text, int begin, int end) {
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
        deliveryTimes.received((int) digits(text, number + NUMBER.length()), read);
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
        return chunkDecoder.status().startsWith("HTTP/1.1 200");
    }

    /** Events that came again, or in the wrong order. */
    int repeats() {
        return repeats;
    }
}
