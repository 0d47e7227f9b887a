package io.kubemirror.api.watch;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.function.Consumer;

/** Where the frames of a watch go. Takes one portion at a time, and never blocks. */
interface FrameSink {

    /**
     * Sends frames.
     *
     * @param batch the frames, which must not change any more
     * @param later told when the rest is on its way, or why it will never be; at times before this
     *     returns
     * @return whether all of it is on its way already, so that nobody will be told later
     * @throws IOException if the client is gone
     */
    boolean send(FrameBatch batch, Consumer<@Nullable IOException> later) throws IOException;
}
