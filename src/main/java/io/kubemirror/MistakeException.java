package io.kubemirror;

/** A configuration that cannot be used; ends the process with one line and no stack trace. */
final class MistakeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Mistake mistake;

    MistakeException(Mistake mistake) {
        super(mistake.line());
        this.mistake = mistake;
    }

    MistakeException(String property, String problem, String remedy) {
        this(new Mistake(property, problem, remedy));
    }

    Mistake mistake() {
        return mistake;
    }
}
