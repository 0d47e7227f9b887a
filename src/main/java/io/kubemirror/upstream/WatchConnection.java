package io.kubemirror.upstream;

/** A watch that the server has accepted, read from the network as it is asked for. */
public interface WatchConnection extends WatchStream {

    /**
     * The same watch, read ahead from now on; this one must not be read any more.
     *
     * @param bound how far
     */
    ReadAheadWatch ahead(ReadAheadLimits bound);
}
