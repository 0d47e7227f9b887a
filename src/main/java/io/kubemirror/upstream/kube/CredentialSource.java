package io.kubemirror.upstream.kube;

import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.credentials.TokenFileAuthentication;
import io.kubernetes.client.util.credentials.UsernamePasswordAuthentication;

import okhttp3.HttpUrl;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A source of the API server address and the credentials.
 *
 * <p>Each call of {@link #connect} reads the files and runs the plugins again. In this way
 * everything that expires is renewed: when the server rejects a credential or its certificate is no
 * longer trusted, {@link KubeClient} connects once more. Rejected: the {@code
 * RefreshAuthentication} of the official client, which runs a plugin every few minutes whether or
 * not its token has expired, never on a 401, and cannot replace client certificates.
 */
sealed interface CredentialSource
        permits CredentialSource.ServerUrl, CredentialSource.ServiceAccount, KubeconfigFile {

    /**
     * Chooses a source by the settings, in this order: the server URL, an explicit kubeconfig or
     * context, the service account, {@code $KUBECONFIG}, {@code ~/.kube/config}.
     *
     * @throws UpstreamException if none of them exists
     */
    static CredentialSource choose(UpstreamSettings settings, ProcessEnvironment environment) {
        String server = settings.server();
        if (server != null) {
            return new ServerUrl(server);
        }
        if (settings.kubeconfig() == null && settings.context() == null) {
            String host = environment.variable("KUBERNETES_SERVICE_HOST");
            Path directory = environment.serviceAccount();
            if (host != null && Files.exists(directory.resolve("token"))) {
                String port = environment.variable("KUBERNETES_SERVICE_PORT");
                return new ServiceAccount(host, port == null ? "443" : port, directory);
            }
        }
        return KubeconfigFile.choose(settings, environment);
    }

    /**
     * Creates a connection with the current credentials. No request is sent.
     *
     * @throws UpstreamException if the source cannot be used
     */
    ServerConnection connect(ClientSettings settings);

    /** Returns whether connecting again may yield different credentials. */
    default boolean renews() {
        return !(this instanceof ServerUrl);
    }

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
                        "is not a URL; use scheme, host and port, for example"
                                + " https://10.0.0.1:6443");
            }
            ClientBuilder builder = new ClientBuilder();
            if (!parsed.username().isEmpty()) {
                builder.setAuthentication(
                        new UsernamePasswordAuthentication(parsed.username(), parsed.password()));
            }
            return new ServerConnection(parsed, builder.build(), settings);
        }

        /** Returns only the kind of the source, since the URL may contain a password. */
        @Override
        public String toString() {
            return "kubemirror.upstream.server";
        }
    }

    /**
     * The service account of the pod.
     *
     * @param host the address of the API server in the cluster
     * @param port the port of the API server
     * @param directory contains {@code token}, which the kubelet rotates, and {@code ca.crt}
     */
    record ServiceAccount(String host, String port, Path directory) implements CredentialSource {

        /**
         * {@inheritDoc} The token file is read for every request. This costs little compared to a
         * list or a watch, and a rotated token is never missed.
         */
        @Override
        public ServerConnection connect(ClientSettings settings) {
            Path token = directory.resolve("token");
            Path authority = directory.resolve("ca.crt");
            try {
                ClientBuilder builder = new ClientBuilder();
                builder.setCertificateAuthority(Files.readAllBytes(authority));
                builder.setAuthentication(
                        new TokenFileAuthentication(token.toString(), Duration.ZERO));
                int number = Integer.parseInt(port);
                HttpUrl url = new HttpUrl.Builder().scheme("https").host(host).port(number).build();
                return new ServerConnection(url, builder.build(), settings);
            } catch (IOException | RuntimeException _) {
                throw new UpstreamException(
                        "server",
                        "cannot use the service account of the pod in "
                                + directory
                                + ": token or ca.crt is unreadable; mount them, or set this"
                                + " property or kubemirror.upstream.kubeconfig");
            }
        }

        @Override
        public String toString() {
            return "service account";
        }
    }
}
