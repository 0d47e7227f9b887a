package io.kubemirror.upstream.kube;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the address of the API server and the credentials come from.
 *
 * <p>An origin can be asked for a connection again and again, and reads its files and runs its
 * plugins anew each time. That is how everything that expires is renewed: when the server does not
 * accept a credential or its certificate is no longer trusted, {@link KubeClient} connects once
 * more. Rejected: the official client's {@code RefreshAuthentication}, which runs a plugin every
 * few minutes whether its token has expired or not, never on a 401, and cannot replace client
 * certificates.
 */
sealed interface CredentialSource permits ServerUrl, ServiceAccount, KubeconfigFile {

    /**
     * Chooses by the settings, in this order: the server's URL, a named kubeconfig or context, the
     * service account, {@code $KUBECONFIG}, {@code ~/.kube/config}.
     *
     * @throws UpstreamException if there is none of them
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
     * Makes a connection with the credentials as they are now. No request is sent.
     *
     * @throws UpstreamException if that cannot work
     */
    ServerConnection connect(ClientSettings settings);

    /** Whether connecting again may bring other credentials. */
    boolean renews();
}
