package io.kubemirror.parity;

import module java.base;

/** An intended difference from the API server, with its reason. */
sealed interface Difference {

    /** The reason, as a sentence without a capital and a full stop. */
    String reason();

    /**
     * The response of kubemirror is derived from that of the server.
     *
     * @param change what kubemirror must answer, from what the server answers
     */
    record Rewritten(String reason, UnaryOperator<ObservedResponse> change) implements Difference {}

    /**
     * kubemirror answers as the server answers another request.
     *
     * @param other that request
     */
    record AnsweredLike(String reason, RawRequest other) implements Difference {}

    /**
     * The responses are equal except for a part that is removed from both.
     *
     * @param normalized what must be the same, of a body
     */
    record ExceptFor(String reason, UnaryOperator<String> normalized) implements Difference {}

    /**
     * The response of the server varies. That of kubemirror does not.
     *
     * @param answer what kubemirror always answers
     */
    record Steady(String reason, ObservedResponse answer) implements Difference {}
}
