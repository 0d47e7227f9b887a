package io.kubemirror.upstream.kube;

/**
 * A setting of the upstream that cannot work. The message is one line which names the property and
 * the remedy; there is never a cause, since parsers quote what they could not read, credentials
 * included.
 */
public final class UpstreamException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** A mistake in one of the properties {@code kubemirror.upstream.*}. */
    UpstreamException(String property, String problem) {
        super("kubemirror.upstream." + property + ": " + problem);
    }
}
