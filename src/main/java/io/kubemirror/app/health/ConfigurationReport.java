package io.kubemirror.app.health;

import module java.base;

/**
 * Tells operators what of the configuration files is not in force. A feature that reads them while
 * the process runs has a bean of this type.
 */
@FunctionalInterface
public interface ConfigurationReport {

    /** Returns how the files differ from the configuration in force. */
    Difference difference();

    /**
     * The configuration in force and what keeps it from being that of the files.
     *
     * @param since when it was put in force
     * @param problem why the files are refused, without any secret; empty if they are not
     * @param restart the properties whose values in the files need a restart, without the values
     */
    record Difference(Instant since, String problem, List<String> restart) {

        /** What only the start reads does not differ. */
        public static final Difference NONE = new Difference(Instant.EPOCH, "", List.of());

        /** Copies the list. */
        public Difference {
            restart = List.copyOf(restart);
        }
    }
}
