package io.kubemirror.kube;

import module java.base;

import io.kubemirror.model.MemoryBudget;

import okhttp3.OkHttpClient;

/**
 * The settings of the client.
 *
 * @param version the version of kubemirror, for {@code User-Agent}
 * @param connectTimeout how long a connection may take to be established, TLS aside
 * @param readTimeout how long a response may take to begin, and a list or a discovery document may
 *     pause, before the server is considered unreachable; the silence of watches has its own limits
 *     (list-watch.md#up-11)
 * @param objectLimit the maximum size of an object, a watch frame, or another document, in bytes
 * @param incoming the budget for incoming data: large objects, documents, and frames that are read
 *     ahead
 */
public record ClientSettings(
        String version,
        Duration connectTimeout,
        Duration readTimeout,
        int objectLimit,
        MemoryBudget incoming) {

    /** Returns how this process names itself to servers. */
    public String userAgent() {
        return "kubemirror/" + version;
    }

    /** Sets what the connections to all servers have in common. */
    public OkHttpClient.Builder applyTo(OkHttpClient.Builder client) {
        return client
                // List and watch need no redirects, and credentials must not follow one.
                .followRedirects(false)
                // Connects on the calling thread, so that an interrupt reaches the attempt.
                .fastFallback(false)
                .connectTimeout(connectTimeout)
                .readTimeout(readTimeout);
    }
}
