package io.kubemirror.history;

/**
 * An illegal step.
 *
 * @param operation the operation
 * @param promise what does not hold
 * @param reason what was seen in place of what
 * @param at when
 */
record Violation(Operation operation, String promise, String reason, long at) {

    String brief() {
        return "%s: %s%n    #%d %s at %s"
                .formatted(promise, reason, operation.id(), operation.client(), operation.brief());
    }
}
