package io.kubemirror.upstream.kube;

import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.credentials.UsernamePasswordAuthentication;

import okhttp3.HttpUrl;

/**
 * A server specified by its URL, such as {@code kubectl proxy} or another kubemirror.
 *
 * @param url the URL, which may contain a user and a password
 */
record ServerUrl(String url) implements CredentialSource {

    @Override
    public ServerConnection connect(ClientSettings settings) {
        HttpUrl parsed = HttpUrl.parse(url);
        if (parsed == null || parsed.query() != null || parsed.fragment() != null) {
            throw new UpstreamException(
                    "server",
                    "not a URL such as https://10.0.0.1:6443; give scheme, host and port");
        }
        ClientBuilder builder = new ClientBuilder();
        if (!parsed.username().isEmpty()) {
            builder.setAuthentication(
                    new UsernamePasswordAuthentication(parsed.username(), parsed.password()));
        }
        return new ServerConnection(parsed, builder.build(), settings);
    }

    @Override
    public boolean renews() {
        return false;
    }

    /** Returns only the kind of the source, since the URL may contain a password. */
    @Override
    public String toString() {
        return "kubemirror.upstream.server";
    }
}
