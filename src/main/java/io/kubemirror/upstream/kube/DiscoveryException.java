package io.kubemirror.upstream.kube;

import io.kubemirror.upstream.Failure;

/** Signals that a discovery document is not available. */
final class DiscoveryException extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient Failure failure;

    /** Creates an exception for a failure. */
    DiscoveryException(Failure failure) {
        super(failure.summary());
        this.failure = failure;
    }

    /** Returns the failure. */
    Failure failure() {
        return failure;
    }
}
