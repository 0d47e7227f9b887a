package io.kubemirror.clients;

import module java.base;

/** A running client that caches the pods of a namespace, or of all. */
interface Informer extends AutoCloseable {

    /** The names and revisions of the pods in its own cache now. */
    Map<String, String> held();

    @Override
    void close();
}
