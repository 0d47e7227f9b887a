package io.kubemirror.web;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Frames that are sent in one go (WI-3, FA-8), in portions of bounded size.
 *
 * <p>A burst lasts as long as one step of a watch, so that a watch which waits holds no buffer.
 */
final class Burst {

    private static final int PORTION = 128 * 1024;

    private final Sink sink;
    private final List<byte[]> frames = new ArrayList<>(1);
    private int bytes;
    private boolean sent;

    Burst(Sink sink) {
        this.sink = sink;
    }

    /** Adds an event, and sends what there is once it is a portion. */
    void add(byte[] frame) throws IOException {
        frames.add(frame);
        bytes += frame.length;
        if (bytes >= PORTION) {
            send();
        }
    }

    /**
     * Sends what is left.
     *
     * @return whether the burst had anything in it
     */
    boolean finish() throws IOException {
        send();
        return sent;
    }

    private void send() throws IOException {
        if (!frames.isEmpty()) {
            sink.send(frames.size() == 1 ? frames.getFirst() : joined(), frames.size());
            frames.clear();
            bytes = 0;
            sent = true;
        }
    }

    private byte[] joined() {
        byte[] joined = new byte[bytes];
        int end = 0;
        for (byte[] frame : frames) {
            System.arraycopy(frame, 0, joined, end, frame.length);
            end += frame.length;
        }
        return joined;
    }
}
