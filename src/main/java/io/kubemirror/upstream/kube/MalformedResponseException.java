package io.kubemirror.upstream.kube;

import java.io.IOException;

/** An answer that cannot be understood; the message says why, without any of its content. */
final class MalformedResponseException extends IOException {

    private static final long serialVersionUID = 1L;

    /** An exception with the reason. */
    MalformedResponseException(String reason) {
        super(reason);
    }
}
