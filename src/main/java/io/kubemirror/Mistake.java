package io.kubemirror;

/**
 * A mistake in the configuration.
 *
 * @param property the property at fault, as it is written in YAML
 * @param problem what is wrong with it
 * @param remedy what to do about it, in the imperative
 */
record Mistake(String property, String problem, String remedy) {

    /** The mistake as the one line that is logged before the process ends. */
    String line() {
        return (property + ": " + problem + "; " + remedy).replaceAll("\\s*\\R\\s*", " ");
    }
}
