package io.kubemirror;

/** A configuration that cannot be used; ends the process with one line and no stack trace. */
final class MistakeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MistakeException(String property, String problem, String remedy) {
        super(new Mistake(property, problem, remedy).line());
    }
}
