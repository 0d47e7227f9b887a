package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.api.http.GoJson;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Status;
import io.kubemirror.testing.RequestLatch;

import tools.jackson.databind.node.ObjectNode;

/**
 * What a {@link ScriptedApiServer} does wrong to a request, on command.
 *
 * <p>Given to {@link ScriptedApiServer#fault} together with one of the predicates {@link #onList}
 * and so on.
 */
public sealed interface ServerFault {

    /** Answers this and nothing else. */
    record Respond(int code, String contentType, String body, int retryAfterSeconds)
            implements ServerFault {}

    /**
     * Answers with a body that may be endless.
     *
     * @param pieces makes the piece of a number, counted from 0; an empty one ends the body
     */
    record Stream(IntFunction<String> pieces) implements ServerFault {}

    /** Closes the connection without an answer. */
    record Refuse() implements ServerFault {}

    /** Holds the request up until the latch is opened; other faults then still apply. */
    record Delay(RequestLatch requestLatch) implements ServerFault {}

    /** Changes the body of a list before it is sent. */
    record ChangeBody(UnaryOperator<ObjectNode> change) implements ServerFault {}

    /** Cuts the connection after a number of bytes of the body, of lists and watches. */
    record CutAfterBytes(long bytes) implements ServerFault {}

    /** Compresses a watch as a chain of gzip members, one for each frame (list-watch.md#en-9). */
    record Gzipped() implements ServerFault {}

    /** Does something to a watch before anything else is sent. */
    record OnStream(List<OpenWatch.Step> steps) implements ServerFault {

        /** Copies the steps. */
        public OnStream {
            steps = List.copyOf(steps);
        }
    }

    /** Refuses with a Status. */
    static ServerFault respond(Status status) {
        return new Respond(
                status.code(),
                "application/json",
                new String(GoJson.statusLine(status), StandardCharsets.UTF_8),
                status.retryAfterSeconds());
    }

    /** Answers with any text, as a proxy in between might. */
    static ServerFault respond(int code, String contentType, String body) {
        return new Respond(code, contentType, body, 0);
    }

    /** Does something to a watch before anything else is sent. */
    static ServerFault onStream(OpenWatch.Step... steps) {
        return new OnStream(List.of(steps));
    }

    /** Sends a failure in the stream of a watch and ends the watch. */
    static ServerFault failure(Status status) {
        return onStream(
                new OpenWatch.Step.Write(OpenWatch.error(status)), new OpenWatch.Step.End());
    }

    /** Requests to list the type, every page of it. */
    static Predicate<ReceivedRequest> onList(ResourceType type) {
        return on(ReceivedRequest.RequestVerb.LIST, type);
    }

    /** Requests to watch the type, with or without initial events. */
    static Predicate<ReceivedRequest> onWatch(ResourceType type) {
        return on(ReceivedRequest.RequestVerb.WATCH, type);
    }

    /** Watches of the type that ask for initial events (list-watch.md#up-1). */
    static Predicate<ReceivedRequest> onWatchList(ResourceType type) {
        return onWatch(type).and(request -> request.isTrue("sendInitialEvents"));
    }

    private static Predicate<ReceivedRequest> on(
            ReceivedRequest.RequestVerb verb, ResourceType type) {
        return request -> request.verb() == verb && request.isOf(type);
    }
}
