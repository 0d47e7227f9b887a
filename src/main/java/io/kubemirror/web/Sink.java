package io.kubemirror.web;

import java.io.IOException;

/** Where the frames of a watch go. */
interface Sink {

    /**
     * Sends frames and returns when they are on their way; blocks while the client takes nothing.
     *
     * @param frames whole frames (WI-4)
     * @param events how many events they are
     * @throws IOException if the client is gone
     */
    void send(byte[] frames, int events) throws IOException;
}
