package io.kubemirror.testing;

import io.kubemirror.model.ResourceType;

import tools.jackson.databind.node.ObjectNode;

import java.net.URI;
import java.util.Optional;

/** An API server that a test may write to, read from and treat badly; scripted or genuine. */
public interface ApiServer extends AutoCloseable {

    /** The address to which {@code /api/v1/pods} and the like are appended. */
    URI url();

    /** A client that is let in. */
    RestClient client();

    /** A kubeconfig with what is needed to get in, where the address alone is not enough. */
    default Optional<String> kubeconfig() {
        return Optional.empty();
    }

    /** Creates an object and returns it as stored. */
    ObjectNode create(Manifest manifest);

    /** Replaces an object whatever its present revision, and returns it as stored. */
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

    /** The whole collection as the server lists it now, straight from the source of truth. */
    ObjectNode list(ResourceType type);

    /** Makes the server serve a custom resource type; returns when it does. */
    void define(ResourceType type);

    /**
     * Serves a custom resource type no more, if it ever did: its objects are gone, and its watches
     * end.
     */
    void withdraw(ResourceType type);

    /**
     * Serves the objects of a custom resource type from now on in another version of it, and no
     * longer in the one before; returns when it does.
     */
    void serveInstead(ResourceType before, ResourceType after);

    /** Creates a namespace unless it exists. */
    void ensureNamespace(String name);

    /** The server's present revision. */
    long revision();

    /** Stops and starts again at the same address: all connections break, and the past is gone. */
    void restart();

    /** Stops serving: connections break, and new ones are refused. */
    void stop();

    /** Serves again after {@link #stop}, at the same address. */
    void start();

    /**
     * Stops, loses all objects and all revisions, and starts again at the same address, counting
     * anew (list-watch.md#re-12).
     */
    void wipe();

    /** Ends the server for good. */
    @Override
    void close();
}
