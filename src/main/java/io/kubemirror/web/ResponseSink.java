package io.kubemirror.web;

import jakarta.servlet.ServletOutputStream;

import java.io.IOException;

/**
 * The frames of a watch go to its client.
 *
 * @param out the response
 * @param meter counts them
 */
record ResponseSink(ServletOutputStream out, WatchMeters.Meter meter) implements Sink {

    @Override
    public void send(byte[] frames, int events) throws IOException {
        out.write(frames);
        out.flush();
        meter.delivered(events, frames.length);
    }
}
