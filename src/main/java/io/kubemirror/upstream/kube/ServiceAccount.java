package io.kubemirror.upstream.kube;

import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.credentials.TokenFileAuthentication;

import okhttp3.HttpUrl;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The service account of the pod.
 *
 * @param host the address of the API server in the cluster
 * @param port the port of the API server
 * @param directory contains {@code token}, which the kubelet rotates, and {@code ca.crt}
 */
record ServiceAccount(String host, String port, Path directory) implements CredentialSource {

    /**
     * {@inheritDoc} The token file is read for every request. This costs little compared to a list
     * or a watch, and a rotated token is never missed.
     */
    @Override
    public ServerConnection connect(ClientSettings settings) {
        Path token = directory.resolve("token");
        Path authority = directory.resolve("ca.crt");
        try {
            ClientBuilder builder = new ClientBuilder();
            builder.setCertificateAuthority(Files.readAllBytes(authority));
            builder.setAuthentication(new TokenFileAuthentication(token.toString(), Duration.ZERO));
            return new ServerConnection(url(), builder.build(), settings);
        } catch (IOException | RuntimeException _) {
            throw new UpstreamException(
                    "server",
                    "the pod's service account in "
                            + directory
                            + " cannot be used: token or ca.crt is unreadable; mount them, or set"
                            + " this property or kubemirror.upstream.kubeconfig");
        }
    }

    private HttpUrl url() {
        int number = Integer.parseInt(port);
        return new HttpUrl.Builder().scheme("https").host(host).port(number).build();
    }

    @Override
    public boolean renews() {
        return true;
    }

    @Override
    public String toString() {
        return "service account";
    }
}
