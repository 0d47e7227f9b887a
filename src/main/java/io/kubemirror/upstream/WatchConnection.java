package io.kubemirror.upstream;

/** A watch that the server has accepted. Frames are read from the network on demand. */
public interface WatchConnection extends WatchStream {

    /**
     * Starts to read the watch ahead. This connection must not be read directly anymore.
     *
     * @param bound the limits of reading ahead
     */
    ReadAheadWatch ahead(ReadAheadLimits bound);
}
