package io.kubemirror.parity;

import java.util.function.UnaryOperator;

/** How kubemirror is meant to answer otherwise than the API server, and why. */
sealed interface Difference {

    /** Why, in a sentence without a capital and a full stop. */
    String reason();

    /**
     * The answer of kubemirror is made of the server's.
     *
     * @param change what kubemirror must answer, from what the server answers
     */
    record Rewritten(String reason, UnaryOperator<ObservedResponse> change) implements Difference {}

    /**
     * Kubemirror answers as the server answers another request.
     *
     * @param other that request
     */
    record AsTo(String reason, RawRequest other) implements Difference {}

    /**
     * Kubemirror answers as the server but for something that this leaves out of both answers.
     *
     * @param essence what must be the same, of a body
     */
    record Besides(String reason, UnaryOperator<String> essence) implements Difference {}

    /**
     * The server answers now so, now so; kubemirror as this.
     *
     * @param answer what kubemirror always answers
     */
    record Steady(String reason, ObservedResponse answer) implements Difference {}
}
