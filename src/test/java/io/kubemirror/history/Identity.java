package io.kubemirror.history;

import module java.base;

/** Who a client is, and what the API server permits it. */
enum Identity {

    /** Everything. */
    ALL,

    /** To read the first namespace. */
    PART;

    /** The identity of whom an operation is, by the name of its client. */
    static Identity of(Operation operation) {
        return operation.client().startsWith(PART.prefix()) ? PART : ALL;
    }

    /** The beginning of the names of clients that are not {@link #ALL}. */
    String prefix() {
        return name().toLowerCase(Locale.ROOT) + "-";
    }

    String token() {
        return "token-" + name();
    }

    boolean permits(Operation operation) {
        return switch (this) {
            case ALL -> true;
            case PART ->
                    !operation.isWrite() && operation.selected().namespace().equals(readable());
        };
    }

    /** The namespace that {@link #PART} may read. */
    static String readable() {
        return StoredType.NAMESPACES.getFirst();
    }
}
