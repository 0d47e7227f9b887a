package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.DocumentEncoder.ResponseForm;
import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.encode.ListPage;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestCredentials;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;

/**
 * Who answers a read of a mirrored resource, and from what: decided once, by {@link ReadPlanner},
 * before anything of the answer is sent (list-watch.md#freshness). Nothing falls back to another
 * server after it.
 */
public sealed interface Plan {

    /**
     * A mirror answers a get.
     *
     * @param revision the revision of the state that has the object
     */
    record Get(KubeObject object, Revision revision, ResponseForm form) implements Plan {}

    /**
     * A mirror answers a list.
     *
     * @param history tells the history of the state from others of the mirror
     * @param state the state to read
     * @param page what is sent of it
     */
    record Page(
            CollectionRequest wanted,
            ResponseForm form,
            long history,
            Snapshot state,
            ListPage page)
            implements Plan {}

    /**
     * A mirror answers a watch.
     *
     * @param frames the encoding of the events
     * @param credentials what the client was admitted with, empty if none are required
     * @param placed gives each frame its place among those of other watches of its connection
     */
    record SelectedWatch(
            CollectionRequest wanted,
            FrameEncoder frames,
            Optional<RequestCredentials> credentials,
            UnaryOperator<byte[]> placed)
            implements Plan {}

    /**
     * The API server answers.
     *
     * @param memory the memory that the answer takes beyond that of a read, in bytes
     */
    record FromServer(int memory, ServerAnswer answer) implements Plan {}

    /** An answer of the API server. */
    @FunctionalInterface
    interface ServerAnswer {

        /**
         * Sends the answer.
         *
         * @throws Rejection if there is none
         * @throws IOException if the client has disconnected
         * @throws InterruptedException if the thread is interrupted while it waits
         */
        void send(Exchange exchange) throws Rejection, IOException, InterruptedException;
    }
}
