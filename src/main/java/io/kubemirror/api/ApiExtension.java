package io.kubemirror.api;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.watch.WatchConnection;

import java.io.IOException;
import java.util.Optional;

/**
 * Answers the requests for a path that a feature adds to the API, {@code /kubemirror/v1/NAME}. Such
 * a request watches the resources that its query names, and its client needs the permission to.
 */
public interface ApiExtension {

    /** Returns the last segment of the path. */
    String name();

    /**
     * Answers a request, on a thread that may wait.
     *
     * @return the connection with the rest of the response, to be started, if there is one
     * @throws Rejection if the request is refused
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the thread is interrupted
     */
    Optional<WatchConnection> answer(Exchange exchange)
            throws Rejection, IOException, InterruptedException;
}
