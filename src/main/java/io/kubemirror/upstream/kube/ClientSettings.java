package io.kubemirror.upstream.kube;

import io.kubemirror.memory.MemoryBudget;

import java.time.Duration;

/**
 * The settings of the client.
 *
 * @param version the version of kubemirror, for {@code User-Agent}
 * @param readTimeout how long a list or a discovery document may pause before the server is
 *     considered unreachable; 64 KiB of it may take twice as long; watches have their own limits
 *     (list-watch.md#up-11)
 * @param objectLimit the maximum size of an object, a watch frame, or another document, in bytes
 * @param incoming the budget for incoming data: large objects, documents, and frames that are read
 *     ahead
 */
public record ClientSettings(
        String version, Duration readTimeout, int objectLimit, MemoryBudget incoming) {

    /** Creates settings without a memory limit. */
    public ClientSettings(String version, Duration readTimeout, int objectLimit) {
        this(version, readTimeout, objectLimit, MemoryBudget.unlimited());
    }

    /**
     * Returns the default settings: 60 seconds and 32 MiB, about twenty times the size limit of
     * etcd.
     */
    public static ClientSettings defaults(String version) {
        return new ClientSettings(version, Duration.ofSeconds(60), 32 * 1024 * 1024);
    }
}
