package io.kubemirror.upstream.kube;

import io.kubemirror.memory.MemoryBudget;

import java.time.Duration;

/**
 * How the client behaves.
 *
 * @param version the version of kubemirror, for {@code User-Agent}
 * @param readTimeout how long a list or a discovery document may pause before the server counts as
 *     unreachable; watches have their own measure (list-watch.md#up-11)
 * @param objectLimit the largest object, watch frame, or other document that is read, in bytes
 * @param incoming what draws from it is on its way: large objects, documents, and frames that are
 *     read ahead
 */
public record ClientSettings(
        String version, Duration readTimeout, int objectLimit, MemoryBudget incoming) {

    /** Settings of a client whose memory is not limited. */
    public ClientSettings(String version, Duration readTimeout, int objectLimit) {
        this(version, readTimeout, objectLimit, MemoryBudget.unlimited());
    }

    /** 60 seconds and 32 MiB, some twenty times what etcd lets an object be. */
    public static ClientSettings defaults(String version) {
        return new ClientSettings(version, Duration.ofSeconds(60), 32 * 1024 * 1024);
    }

    /** The value of {@code User-Agent}. */
    String userAgent() {
        return "kubemirror/" + version;
    }
}
