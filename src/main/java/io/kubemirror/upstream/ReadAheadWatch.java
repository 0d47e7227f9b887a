package io.kubemirror.upstream;

import io.kubemirror.model.Revision;

import java.util.Optional;

/**
 * An open watch whose frames are taken from the network before anybody asks for them, up to a
 * bound, so that the server does not count its reader as slow (list-watch.md#pp-4). Read by one
 * thread.
 */
public interface ReadAheadWatch extends WatchStream {

    /**
     * How the stream has ended, even if frames before its end have not been asked for yet; empty
     * while it goes on.
     */
    Optional<WatchFrame> ending();

    /** The newest revision of an event or bookmark that has arrived, 0 before the first. */
    Revision newest();

    /** How much room is left; when there is none, the stream ends here, with nothing lost in it. */
    ReadAheadLimits left();
}
