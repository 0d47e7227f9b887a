package io.kubemirror.kube;

import org.jspecify.annotations.Nullable;

/**
 * The configured API server to mirror. Null or blank values are not set.
 *
 * @param server {@code kubemirror.upstream.server}: the URL of an API server or a proxy that needs
 *     no credentials other than those in the URL
 * @param kubeconfig {@code kubemirror.upstream.kubeconfig}: the path of a kubeconfig file
 * @param context {@code kubemirror.upstream.context}: the name of a context in the kubeconfig, if
 *     not the current context of the file
 */
public record UpstreamSettings(
        @Nullable String server, @Nullable String kubeconfig, @Nullable String context) {

    /** Replaces blank values with null, because an empty environment variable sets nothing. */
    public UpstreamSettings {
        server = orNull(server);
        kubeconfig = orNull(kubeconfig);
        context = orNull(context);
    }

    /**
     * Returns settings without values: the service account in a cluster, the configuration of
     * kubectl elsewhere.
     */
    public static UpstreamSettings none() {
        return new UpstreamSettings(null, null, null);
    }

    private static @Nullable String orNull(@Nullable String value) {
        return value == null || value.isBlank() ? null : value.strip();
    }

    /** Omits the server, whose URL may contain a password. */
    @Override
    public String toString() {
        return "kubeconfig " + kubeconfig + ", context " + context;
    }
}
