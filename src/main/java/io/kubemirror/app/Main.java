package io.kubemirror.app;

/** The main class, compiled for Java 17, so that an old Java can say that it is too old. */
public final class Main {

    private static final int NEEDED = 25;

    private Main() {}

    /**
     * Starts kubemirror.
     *
     * @param arguments those of {@link KubeMirrorApplication#main}
     */
    public static void main(String[] arguments) {
        if (Runtime.version().feature() < NEEDED) {
            System.err.println(
                    "kubemirror: needs Java 25 or newer; this is Java " + Runtime.version());
            System.exit(1);
        }
        KubeMirrorApplication.main(arguments);
    }
}
