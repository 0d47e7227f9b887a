package io.kubemirror.testground;

import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Status;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * What a {@link ScriptedApiServer} does wrong to a request, on command.
 *
 * <p>Made by the methods below, and given to {@link ScriptedApiServer#fault} together with one of
 * the predicates {@link #onList} and so on.
 */
public sealed interface Fault {

    /** Answers this and nothing else. */
    record Respond(int code, String contentType, String body, int retryAfterSeconds)
            implements Fault {}

    /** Answers with a body made piece by piece, until a piece is empty or the client leaves. */
    record Stream(IntFunction<String> pieces) implements Fault {}

    /** Closes the connection without an answer. */
    record Refuse() implements Fault {}

    /** Holds the request up, and then treats it as if this fault were not there. */
    record Delay(Gate gate) implements Fault {}

    /** Changes the body of a list before it is sent. */
    record Alter(UnaryOperator<ObjectNode> change) implements Fault {}

    /** Cuts the connection after a number of bytes of the body. */
    record CutAfterBytes(long bytes) implements Fault {}

    /** Compresses a watch as a chain of gzip members (EN-10). */
    record Gzipped() implements Fault {}

    /** Does something to a watch after a number of frames. */
    record OnStream(int afterFrames, List<OpenWatch.Step> steps) implements Fault {

        /** Copies the steps. */
        public OnStream {
            steps = List.copyOf(steps);
        }
    }

    /** Refuses with a Status. */
    static Fault respond(Status status) {
        return new Respond(
                status.code(),
                "application/json",
                Json.text(Statuses.json(status)) + "\n",
                status.retryAfterSeconds());
    }

    /** Answers with any JSON. */
    static Fault respond(int code, ObjectNode body) {
        return new Respond(code, "application/json", Json.text(body) + "\n", 0);
    }

    /** Answers with any text, as a proxy in between might. */
    static Fault respond(int code, String contentType, String body) {
        return new Respond(code, contentType, body, 0);
    }

    /**
     * Answers with a body that may be endless.
     *
     * @param pieces makes the piece of a number, counted from 0; an empty one ends the body
     */
    static Fault stream(IntFunction<String> pieces) {
        return new Stream(pieces);
    }

    /** Closes the connection without an answer. */
    static Fault refuse() {
        return new Refuse();
    }

    /** Holds the request up until the gate is opened; other faults then still apply. */
    static Fault delay(Gate gate) {
        return new Delay(gate);
    }

    /** Changes the body of a list before it is sent. */
    static Fault alter(UnaryOperator<ObjectNode> change) {
        return new Alter(change);
    }

    /** Breaks the connection off after a number of bytes of the body, of lists and watches. */
    static Fault cutAfterBytes(long bytes) {
        return new CutAfterBytes(bytes);
    }

    /** Breaks a watch off after a number of frames, without the final chunk. */
    static Fault cutAfterFrames(int frames) {
        return new OnStream(frames, List.of(new OpenWatch.Step.Cut()));
    }

    /** Ends a watch cleanly after a number of frames. */
    static Fault endAfterFrames(int frames) {
        return new OnStream(frames, List.of(new OpenWatch.Step.End()));
    }

    /** Sends nothing more on a watch after a number of frames. */
    static Fault silentAfterFrames(int frames) {
        return new OnStream(frames, List.of(new OpenWatch.Step.Silence()));
    }

    /** Sends an in-stream failure after a number of frames and ends the watch. */
    static Fault errorAfterFrames(int frames, Status status) {
        return new OnStream(
                frames,
                List.of(new OpenWatch.Step.Write(Frames.error(status)), new OpenWatch.Step.End()));
    }

    /** Inserts text after a number of frames: a frame of {@link Frames}, or anything else. */
    static Fault insertAfterFrames(int frames, String text) {
        return new OnStream(frames, List.of(new OpenWatch.Step.Write(text)));
    }

    /** Inserts text after a number of frames and then breaks the watch off. */
    static Fault insertAndCutAfterFrames(int frames, String text) {
        return new OnStream(
                frames, List.of(new OpenWatch.Step.Write(text), new OpenWatch.Step.Cut()));
    }

    /** Compresses a watch as a chain of gzip members, one a frame (EN-10). */
    static Fault gzipped() {
        return new Gzipped();
    }

    /** Requests to list the type, every page of it. */
    static Predicate<ReceivedRequest> onList(ResourceType type) {
        return on(ReceivedRequest.Verb.LIST, type);
    }

    /** Requests to watch the type, with or without initial events. */
    static Predicate<ReceivedRequest> onWatch(ResourceType type) {
        return on(ReceivedRequest.Verb.WATCH, type);
    }

    /** Watches of the type that ask for initial events (UP-1). */
    static Predicate<ReceivedRequest> onWatchList(ResourceType type) {
        return onWatch(type).and(request -> request.isTrue("sendInitialEvents"));
    }

    /** Requests for an object of the type. */
    static Predicate<ReceivedRequest> onGet(ResourceType type) {
        return on(ReceivedRequest.Verb.GET, type);
    }

    /** Requests for discovery. */
    static Predicate<ReceivedRequest> onDiscovery() {
        return request -> request.verb() == ReceivedRequest.Verb.DISCOVERY;
    }

    /** Every request. */
    static Predicate<ReceivedRequest> onAny() {
        return request -> true;
    }

    private static Predicate<ReceivedRequest> on(ReceivedRequest.Verb verb, ResourceType type) {
        return request -> request.verb() == verb && request.isOf(type);
    }
}
