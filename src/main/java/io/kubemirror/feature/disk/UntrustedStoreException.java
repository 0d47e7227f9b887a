package io.kubemirror.feature.disk;

import java.io.IOException;

/** A stored mirror is not used. */
final class UntrustedStoreException extends IOException {

    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Why a stored mirror is not used. */
    enum Reason {
        /** Another version of the format, or of kubemirror. */
        VERSION,
        /** Another server. */
        SERVER,
        /** The configuration of the mirror has changed. */
        CONFIGURATION,
        /** Another key, or one is missing. */
        KEY,
        /** The bytes are not those that were written, or make no sense. */
        CORRUPT,
        /** Readers may have seen other content since. */
        REPLACED,
        /** It is from the future. */
        CLOCK,
        /** It does not fit into the memory. */
        MEMORY
    }

    UntrustedStoreException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /**
     * Checks what has to hold for a stored mirror to be used.
     *
     * @throws UntrustedStoreException if it does not hold
     */
    static void require(boolean holds, Reason reason, String problem)
            throws UntrustedStoreException {
        if (!holds) {
            throw new UntrustedStoreException(reason, problem);
        }
    }

    Reason reason() {
        return reason;
    }
}
