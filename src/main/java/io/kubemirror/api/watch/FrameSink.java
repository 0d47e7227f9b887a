package io.kubemirror.api.watch;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.function.Consumer;

/** Receives the frames of a watch, one batch at a time. Never blocks. */
interface FrameSink {

    /**
     * Sends frames.
     *
     * @param batch the frames, which must not be modified afterwards
     * @param later called when the remainder has been sent, or with the failure; possibly before
     *     this method returns
     * @return whether everything has been sent, in which case {@code later} is not called
     * @throws IOException if the client has disconnected
     */
    boolean send(FrameBatch batch, Consumer<@Nullable IOException> later) throws IOException;
}
