package io.kubemirror.launcher;

/**
 * The main class of the jar: starts Boot's launcher, or says which Java is needed. It is compiled
 * for Java 8, so that an older Java prints this instead of the version number of a class file.
 */
public final class JarStarter {

    /** The release that the other classes are compiled for, {@code java.version} in the POM. */
    private static final int NEEDED = 25;

    private JarStarter() {}

    /**
     * Starts the application with its arguments, or exits with 2.
     *
     * @throws Exception what the application throws
     */
    public static void main(String[] arguments) throws Exception {
        String version = System.getProperty("java.specification.version");
        if (version.startsWith("1.") || Integer.parseInt(version) < NEEDED) {
            System.err.printf(
                    "kubemirror needs Java %d or newer; this is Java %s in %s."
                            + " Set JAVA_HOME or PATH to a newer one.%n",
                    NEEDED, System.getProperty("java.version"), System.getProperty("java.home"));
            System.exit(2);
        }
        Class.forName("org.springframework.boot.loader.launch.JarLauncher")
                .getMethod("main", String[].class)
                .invoke(null, (Object) arguments);
    }
}
