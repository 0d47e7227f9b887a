package io.kubemirror.history;

import module java.base;

/** What the API server permits, which can be revoked for a while. */
final class Permissions {

    private static final Set<String> READING = Set.of("get", "list", "watch");

    private volatile boolean revoked;

    /** Permits {@link Identity#PART} nothing until {@link #grant}. */
    void revoke() {
        revoked = true;
    }

    void grant() {
        revoked = false;
    }

    boolean isRevoked() {
        return revoked;
    }

    /** Whether a user may do something in a namespace, or in all if it is empty. */
    boolean permits(String user, String verb, String namespace) {
        boolean reads = READING.contains(verb) && namespace.equals(Identity.readable());
        return user.equals(Identity.ALL.name())
                || (user.equals(Identity.PART.name()) && reads && !revoked);
    }
}
