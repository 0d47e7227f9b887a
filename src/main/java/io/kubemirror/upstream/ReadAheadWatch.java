package io.kubemirror.upstream;

import io.kubemirror.model.Revision;

import java.util.Optional;

/**
 * An open watch whose frames are read from the network before they are requested, up to a limit, so
 * that the server does not treat the client as slow (list-watch.md#pp-4). Read by one thread.
 */
public interface ReadAheadWatch extends WatchStream {

    /**
     * Returns how the stream has ended, even if earlier frames have not been read yet; empty while
     * the stream is open.
     */
    Optional<WatchFrame> ending();

    /** Returns the newest revision of an event or bookmark that has arrived, 0 before the first. */
    Revision newest();

    /**
     * Returns the remaining limits. When a limit is exhausted, the stream ends without losing
     * frames.
     */
    ReadAheadLimits left();
}
