package io.kubemirror.testing;

import io.kubemirror.model.ResourceType;

import tools.jackson.databind.node.ObjectNode;

import java.net.URI;
import java.util.Optional;

/** An API server that a test writes to, reads from, and disturbs. It is scripted or real. */
public interface ApiServer extends AutoCloseable {

    /** The base address, without {@code /api} or {@code /apis}. */
    URI url();

    /** A client with valid credentials. */
    RestClient client();

    /** A kubeconfig with credentials, if the address alone is not sufficient. */
    default Optional<String> kubeconfig() {
        return Optional.empty();
    }

    /** Creates an object and returns it as stored. */
    ObjectNode create(Manifest manifest);

    /** Replaces an object regardless of its current revision, and returns it as stored. */
    ObjectNode replace(Manifest manifest);

    /**
     * Changes an object by a JSON merge patch and returns it as stored.
     *
     * @param namespace the namespace, empty for cluster scope
     */
    ObjectNode patch(ResourceType type, String namespace, String name, String mergePatch);

    /**
     * Changes an object's status by a JSON merge patch that has {@code status} as its one member,
     * and returns it as stored.
     */
    ObjectNode patchStatus(ResourceType type, String namespace, String name, String mergePatch);

    /** Deletes an object, at once. */
    void delete(ResourceType type, String namespace, String name);

    /** Lists the whole collection at the most recent state. */
    ObjectNode list(ResourceType type);

    /** Defines a custom resource type and returns when it is served. */
    void define(ResourceType type);

    /**
     * Stops serving a custom resource type, if it is served: its objects are deleted, and its
     * watches end.
     */
    void withdraw(ResourceType type);

    /**
     * Replaces the served version of a custom resource type by another one, and returns when it is
     * served.
     */
    void serveInstead(ResourceType before, ResourceType after);

    /** Creates a namespace unless it exists. */
    void ensureNamespace(String name);

    /** Returns the current revision of the server. */
    long revision();

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
