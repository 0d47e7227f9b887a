package io.kubemirror.clients;

import module java.base;

import org.junit.jupiter.api.Assumptions;

/** A program that tests run if it is installed. */
public enum ExternalProgram {
    KUBECTL,
    NODE,
    NPM,
    MVN,
    CHROMIUM,
    DOCKER,
    JQ,
    PROMTOOL,
    PYTHON3;

    /**
     * Skips the test if the program is not installed.
     *
     * @throws IllegalStateException if the program is not installed and the environment has {@code
     *     CI=true}
     */
    public void demand() {
        demand(isInstalled(), command());
    }

    /** Like {@link #demand()}, for a program that is at a place of its own. */
    public static void demand(Path executable) {
        demand(Files.isExecutable(executable), executable.toString());
    }

    private static void demand(boolean installed, String program) {
        if (!installed) {
            String lack = "needs " + program + ", which is not installed (CONTRIBUTING.md)";
            if ("true".equals(System.getenv("CI"))) {
                throw new IllegalStateException(lack);
            }
            Assumptions.abort(lack);
        }
    }

    boolean isInstalled() {
        return path().isPresent();
    }

    /** Returns the name of the command. */
    String command() {
        return name().toLowerCase(Locale.ROOT);
    }

    private Optional<Path> path() {
        String directories = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Arrays.stream(directories.split(File.pathSeparator))
                .map(directory -> Path.of(directory, command()))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
