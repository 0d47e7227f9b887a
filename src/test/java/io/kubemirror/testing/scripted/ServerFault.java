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
 * <p>Made by the methods below, and given to {@link ScriptedApiServer#fault} together with one of
 * the predicates {@link #onList} and so on.
 */
public sealed interface ServerFault {

    /** Answers this and nothing else. */
    record Respond(int code, String contentType, String body, int retryAfterSeconds)
            implements ServerFault {}

    /** Answers with a body made piece by piece, until a piece is empty or the client leaves. */
    record Stream(IntFunction<String> pieces) implements ServerFault {}

    /** Closes the connection without an answer. */
    record Refuse() implements ServerFault {}

    /** Holds the request up, and then treats it as if this fault were not there. */
    record Delay(RequestLatch requestLatch) implements ServerFault {}

    /** Changes the body of a list before it is sent. */
    record ChangeBody(UnaryOperator<ObjectNode> change) implements ServerFault {}

    /** Cuts the connection after a number of bytes of the body. */
    record CutAfterBytes(long bytes) implements ServerFault {}

    /** Compresses a watch as a chain of gzip members (list-watch.md#en-9). */
    record Gzipped() implements ServerFault {}

    /** Does something to a watch after a number of frames. */
    record OnStream(int afterFrames, List<OpenWatch.Step> steps) implements ServerFault {

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

    /**
     * Answers with a body that may be endless.
     *
     * @param pieces makes the piece of a number, counted from 0; an empty one ends the body
     */
    static ServerFault stream(IntFunction<String> pieces) {
        return new Stream(pieces);
    }

    /** Closes the connection without an answer. */
    static ServerFault refuse() {
        return new Refuse();
    }

    /** Holds the request up until the gate is opened; other faults then still apply. */
    static ServerFault delay(RequestLatch requestLatch) {
        return new Delay(requestLatch);
    }

    /** Changes the body of a list before it is sent. */
    static ServerFault alter(UnaryOperator<ObjectNode> change) {
        return new ChangeBody(change);
    }

    /** Breaks the connection off after a number of bytes of the body, of lists and watches. */
    static ServerFault cutAfterBytes(long bytes) {
        return new CutAfterBytes(bytes);
    }

    /** Breaks a watch off after a number of frames, without the final chunk. */
    static ServerFault cutAfterFrames(int frames) {
        return new OnStream(frames, List.of(new OpenWatch.Step.Cut()));
    }

    /** Ends a watch cleanly after a number of frames. */
    static ServerFault endAfterFrames(int frames) {
        return new OnStream(frames, List.of(new OpenWatch.Step.End()));
    }

    /** Sends an in-stream failure after a number of frames and ends the watch. */
    static ServerFault errorAfterFrames(int frames, Status status) {
        return new OnStream(
                frames,
                List.of(
                        new OpenWatch.Step.Write(OpenWatch.error(status)),
                        new OpenWatch.Step.End()));
    }

    /** Inserts text after a number of frames: a frame or anything else. */
    static ServerFault insertAfterFrames(int frames, String text) {
        return new OnStream(frames, List.of(new OpenWatch.Step.Write(text)));
    }

    /** Inserts text after a number of frames and then breaks the watch off. */
    static ServerFault insertAndCutAfterFrames(int frames, String text) {
        return new OnStream(
                frames, List.of(new OpenWatch.Step.Write(text), new OpenWatch.Step.Cut()));
    }

    /** Compresses a watch as a chain of gzip members, one a frame (list-watch.md#en-9). */
    static ServerFault gzipped() {
        return new Gzipped();
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
