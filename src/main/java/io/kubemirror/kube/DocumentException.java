package io.kubemirror.kube;

/** A discovery document that cannot be had. */
final class DocumentException extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient Failure failure;

    /** An exception with what went wrong. */
    DocumentException(Failure failure) {
        super(failure.summary());
        this.failure = failure;
    }

    /** What went wrong. */
    Failure failure() {
        return failure;
    }
}
