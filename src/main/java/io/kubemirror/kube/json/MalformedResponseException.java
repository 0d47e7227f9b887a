package io.kubemirror.kube.json;

import java.io.IOException;

/**
 * Signals a response that cannot be parsed. The message gives the reason and contains none of the
 * content.
 */
public final class MalformedResponseException extends IOException {

    private static final long serialVersionUID = 1L;

    /** Creates an exception with a reason. */
    public MalformedResponseException(String reason) {
        super(reason);
    }
}
