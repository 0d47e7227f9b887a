package io.kubemirror.kube;

import java.time.Duration;

/**
 * How the client behaves.
 *
 * @param version the version of kubemirror, for {@code User-Agent}
 * @param readTimeout how long a list or a discovery document may pause before the server counts as
 *     unreachable; watches have their own measure (UP-11)
 * @param objectLimit the largest object or watch frame that is read, in bytes
 */
public record ClientSettings(String version, Duration readTimeout, int objectLimit) {

    /** 60 seconds and 32 MiB, some twenty times what etcd lets an object be. */
    public static ClientSettings defaults(String version) {
        return new ClientSettings(version, Duration.ofSeconds(60), 32 * 1024 * 1024);
    }

    /** The value of {@code User-Agent}. */
    String userAgent() {
        return "kubemirror/" + version;
    }
}
