package io.kubemirror.upstream.kube;

import org.jspecify.annotations.Nullable;

/**
 * Which API server to mirror, as configured; what is null or blank was not set.
 *
 * @param server {@code kubemirror.upstream.server}: the URL of an API server or a proxy that needs
 *     no credentials but those in the URL
 * @param kubeconfig {@code kubemirror.upstream.kubeconfig}: the path of a kubeconfig file
 * @param context {@code kubemirror.upstream.context}: the name of a context in the kubeconfig,
 *     where the file's current one is not meant
 */
public record UpstreamSettings(
        @Nullable String server, @Nullable String kubeconfig, @Nullable String context) {

    /** Makes blank values null: an empty environment variable sets nothing. */
    public UpstreamSettings {
        server = orNull(server);
        kubeconfig = orNull(kubeconfig);
        context = orNull(context);
    }

    /** Nothing set: the service account in a cluster, kubectl's configuration outside. */
    public static UpstreamSettings none() {
        return new UpstreamSettings(null, null, null);
    }

    private static @Nullable String orNull(@Nullable String value) {
        return value == null || value.isBlank() ? null : value.strip();
    }

    /** Leaves out the server, whose URL may hold a password. */
    @Override
    public String toString() {
        return "kubeconfig " + kubeconfig + ", context " + context;
    }
}
