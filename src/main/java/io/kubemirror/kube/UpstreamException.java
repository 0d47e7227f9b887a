package io.kubemirror.kube;

/**
 * Signals that an upstream setting cannot be used. The message is one line that names the property
 * and the remedy. There is never a cause, since parsers quote the text that they could not parse,
 * including credentials.
 */
public final class UpstreamException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String property;
    private final String problem;

    /** Creates an exception for one of the properties {@code kubemirror.upstream.*}. */
    UpstreamException(String property, String problem) {
        super("kubemirror.upstream." + property + ": " + problem);
        this.property = "kubemirror.upstream." + property;
        this.problem = problem;
    }

    /** Returns the name of the property. */
    public String property() {
        return property;
    }

    /** Returns what is wrong, and the remedy. */
    public String problem() {
        return problem;
    }
}
