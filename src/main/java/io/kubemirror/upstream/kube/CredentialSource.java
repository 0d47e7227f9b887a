package io.kubemirror.upstream.kube;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A source of the API server address and the credentials.
 *
 * <p>Each call of {@link #connect} reads the files and runs the plugins again. In this way
 * everything that expires is renewed: when the server rejects a credential or its certificate is no
 * longer trusted, {@link KubeClient} connects once more. Rejected: the {@code
 * RefreshAuthentication} of the official client, which runs a plugin every few minutes whether or
 * not its token has expired, never on a 401, and cannot replace client certificates.
 */
sealed interface CredentialSource permits ServerUrl, ServiceAccount, KubeconfigFile {

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
    boolean renews();
}
