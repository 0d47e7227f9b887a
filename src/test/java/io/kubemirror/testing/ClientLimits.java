package io.kubemirror.testing;

import module java.base;

import io.kubemirror.kube.ClientSettings;
import io.kubemirror.model.MemoryBudget;

/** The settings of clients of API servers in tests. */
public final class ClientLimits {

    private ClientLimits() {}

    /** Generous limits. */
    public static ClientSettings usual(String version) {
        return of(version, Duration.ofSeconds(60), 32 << 20);
    }

    /** Settings without a memory limit. */
    public static ClientSettings of(String version, Duration readTimeout, int objectLimit) {
        return of(version, readTimeout, objectLimit, MemoryBudget.unlimited());
    }

    /** Settings with ten seconds to connect, and without a limit for lists. */
    public static ClientSettings of(
            String version, Duration readTimeout, int objectLimit, MemoryBudget incoming) {
        return new ClientSettings(
                version, Duration.ofSeconds(10), readTimeout, objectLimit, incoming);
    }
}
