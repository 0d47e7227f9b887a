package io.kubemirror;

/**
 * Thrown if the configuration cannot be used. Ends the process with one line and no stack trace.
 */
final class ConfigurationErrorException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception whose message is the line.
     *
     * @param property the invalid property, as it is written in YAML
     * @param problem what is wrong with it
     * @param remedy what to do about it, in the imperative
     */
    ConfigurationErrorException(String property, String problem, String remedy) {
        super(property + ": " + problem + "; " + remedy);
    }
}
