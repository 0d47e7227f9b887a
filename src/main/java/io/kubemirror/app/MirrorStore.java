package io.kubemirror.app;

import module java.base;

import io.kubemirror.mirror.MirrorWriter;

/** Keeps mirrors beyond the end of the process. A feature has a bean of this type. */
public interface MirrorStore {

    /**
     * Stores a mirror from now on, and fills it with what is stored of it.
     *
     * @param writer the writer of an empty mirror
     * @param server what tells the server from others, and where it has the objects
     * @param settings what else determines the content, beside the scope
     * @return complete when the mirror is filled, or will not be; nothing else may write it before
     */
    CompletableFuture<Void> restore(MirrorWriter writer, String server, String settings);
}
