package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;
import io.kubemirror.kube.UpstreamSettings.UpstreamException;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.credentials.TokenFileAuthentication;

import okhttp3.ConnectionSpec;
import okhttp3.Credentials;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;

import org.jspecify.annotations.Nullable;

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
     * @throws UpstreamException if none of them exists, or if there is a server URL and a
     *     kubeconfig
     */
    static CredentialSource choose(UpstreamSettings settings, ProcessEnvironment environment) {
        String server = settings.server();
        if (server != null) {
            checkUnset("kubeconfig", settings.kubeconfig());
            checkUnset("context", settings.context());
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

    private static void checkUnset(String property, @Nullable String value) {
        if (value != null) {
            throw new UpstreamException(
                    property, "is not used with kubemirror.upstream.server; remove one of them");
        }
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
            OkHttpClient.Builder client = new OkHttpClient.Builder();
            client.pingInterval(Duration.ofMinutes(1));
            if (!parsed.isHttps()) {
                // Otherwise the client would read the authorities of the JDK.
                client.connectionSpecs(List.of(ConnectionSpec.CLEARTEXT));
            }
            return new ServerConnection(parsed, client.build(), authorization(parsed), settings);
        }

        private static @Nullable String authorization(HttpUrl url) {
            return url.username().isEmpty()
                    ? null
                    : Credentials.basic(url.username(), url.password(), StandardCharsets.UTF_8);
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
            try {
                String token = directory.resolve("token").toString();
                ClientBuilder client =
                        new ClientBuilder()
                                .setBasePath(url())
                                .setCertificateAuthority(
                                        Files.readAllBytes(directory.resolve("ca.crt")))
                                .setAuthentication(
                                        new TokenFileAuthentication(token, Duration.ZERO));
                return ServerConnection.of(HttpUrl.get(url()), client.build(), settings);
            } catch (IOException | RuntimeException _) {
                throw new UpstreamException(
                        "server",
                        "cannot use the service account of the pod in "
                                + directory
                                + ": token or ca.crt is unreadable; mount them, or set this"
                                + " property or kubemirror.upstream.kubeconfig");
            }
        }

        private String url() {
            return "https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        }

        @Override
        public String toString() {
            return "service account";
        }
    }
}
