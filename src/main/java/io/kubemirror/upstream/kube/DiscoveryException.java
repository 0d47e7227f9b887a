package io.kubemirror.upstream.kube;

import io.kubemirror.upstream.Failure;

/** A discovery document that cannot be had. */
final class DiscoveryException extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient Failure failure;

    /** An exception with what went wrong. */
    DiscoveryException(Failure failure) {
        super(failure.summary());
        this.failure = failure;
    }

    /** What went wrong. */
    Failure failure() {
        return failure;
    }
}
