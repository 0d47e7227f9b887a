package io.kubemirror.testing;

import io.kubemirror.model.ResourceType;
import io.kubemirror.source.Source;

import tools.jackson.databind.node.ObjectNode;

/** A source of objects that a test writes to, reads from, and disturbs. */
public interface UpstreamServer extends AutoCloseable {

    /** Creates a client of the adapter for this kind of source. */
    Source connect();

    /** Creates an object and returns it as stored. */
    ObjectNode create(Manifest manifest);

    /** Replaces an object regardless of its current revision, and returns it as stored. */
    ObjectNode replace(Manifest manifest);

    /** Deletes an object, at once. */
    void delete(ResourceType type, String namespace, String name);

    /** Lists the whole collection at the most recent state. */
    ObjectNode list(ResourceType type);

    /** Creates a namespace unless it exists. */
    void ensureNamespace(String name);

    /**
     * Stops and starts again at the same address: all connections break, and the history is lost.
     */
    void restart();

    /** Stops serving: connections break, and new ones are refused. */
    void stop();

    /** Serves again after {@link #stop}, at the same address. */
    void start();

    /**
     * Stops, loses all objects and all revisions, and starts again at the same address with low
     * revisions (list-watch.md#re-12).
     */
    void wipe();

    /** Stops the server permanently. */
    @Override
    void close();
}
