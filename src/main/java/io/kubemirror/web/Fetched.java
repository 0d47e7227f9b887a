package io.kubemirror.web;

import io.kubemirror.kube.Failure;
import io.kubemirror.kube.ForwardOutcome;
import io.kubemirror.model.Revision;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** What the API server has answered to a read that was handed on. */
sealed interface Fetched {

    /**
     * All of an answer, for as many clients as want it.
     *
     * @param reply the answer
     * @param revision the revision of the object or the list in it, empty if there is none
     */
    record Whole(Reply reply, Optional<Revision> revision) implements Fetched {}

    /**
     * The beginning of an answer that is too large to be kept, for one client.
     *
     * @param answer its header
     * @param body all of its body, whose rest is still to come
     */
    record Part(ForwardOutcome.Answered answer, InputStream body) implements Fetched {

        /** Lets the server know that nobody reads on. */
        void discard() {
            try {
                answer.close();
            } catch (IOException gone) {
                // It is of no use any more.
            }
        }
    }

    /**
     * There is no answer.
     *
     * @param failure why
     */
    record Failed(Failure failure) implements Fetched {}
}
