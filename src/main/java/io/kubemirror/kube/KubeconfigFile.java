package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;
import io.kubemirror.kube.UpstreamSettings.UpstreamException;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.credentials.AccessTokenAuthentication;
import io.kubernetes.client.util.credentials.ClientCertificateAuthentication;
import io.kubernetes.client.util.credentials.KubeconfigAuthentication;
import io.kubernetes.client.util.credentials.TokenFileAuthentication;

import okhttp3.HttpUrl;

import org.jspecify.annotations.Nullable;

/**
 * A context of a kubeconfig file, as the official client reads it.
 *
 * @param file the file, as an absolute path
 * @param context the name of the context, or null for the current context of the file
 */
record KubeconfigFile(Path file, @Nullable String context) implements CredentialSource {

    /**
     * The members of a cluster or a user that the official client ignores, and kubectl does not.
     */
    private static final Set<String> IGNORED =
            Set.of("proxy-url", "as", "as-uid", "as-groups", "as-user-extra");

    /**
     * Returns the configured file, or the one that kubectl would use.
     *
     * @throws UpstreamException if none is configured and kubectl would find none
     */
    static KubeconfigFile choose(UpstreamSettings settings, ProcessEnvironment environment) {
        Path usual = environment.home().resolve(".kube").resolve("config");
        String path =
                Stream.of(settings.kubeconfig(), environment.variable("KUBECONFIG"))
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(usual.toString());
        if (path.equals(usual.toString()) && !Files.exists(usual)) {
            throw new UpstreamException(
                    "kubeconfig",
                    "found no service account, no $KUBECONFIG and no "
                            + usual
                            + "; set this property or kubemirror.upstream.server");
        }
        return new KubeconfigFile(Path.of(path).toAbsolutePath(), settings.context());
    }

    @Override
    public ServerConnection connect(ClientSettings settings) {
        try (Reader reader = Files.newBufferedReader(file)) {
            KubeConfig config = KubeConfig.loadKubeConfig(reader);
            config.setFile(file.toFile());
            if (context != null && !config.setContext(context)) {
                throw problem("has no context '" + context + "'");
            }
            ClientBuilder builder = builder(config);
            return ServerConnection.of(
                    HttpUrl.get(builder.getBasePath()), builder.build(), settings);
        } catch (UpstreamException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            // Without the message, which may quote what the file has.
            throw problem("cannot be used (" + e.getClass().getSimpleName() + ")");
        }
    }

    /** Works around gaps of the official client, which reads a token file only once. */
    private ClientBuilder builder(KubeConfig config) throws IOException {
        String server = config.getServer();
        // The client would send the credentials over plain HTTP.
        if (server == null || !server.matches("(?i)https?://.*")) {
            throw problem("has a server that is not an http or https URL");
        }
        Map<?, ?> user = part(config, config.getUsers(), "user");
        Map<?, ?> cluster = part(config, config.getClusters(), "cluster");
        for (String member : IGNORED) {
            if (user.containsKey(member) || cluster.containsKey(member)) {
                throw problem("has '" + member + "', which kubemirror does not use");
            }
        }
        Object token = user.isEmpty() ? null : user.remove("tokenFile");
        ClientBuilder builder = ClientBuilder.kubeconfig(config);
        boolean plugin = user.containsKey("exec") || user.containsKey("auth-provider");
        if (plugin && !hasCredentials(builder)) {
            throw problem("gets no credentials from its plugin");
        }
        return token == null
                ? builder
                : builder.setAuthentication(
                        new TokenFileAuthentication(
                                file.resolveSibling(token.toString()).toString(), Duration.ZERO));
    }

    /** Without any, the official client sends anonymous requests. */
    private static boolean hasCredentials(ClientBuilder builder) {
        return builder.getAuthentication() instanceof KubeconfigAuthentication found
                && (found.getDelegateAuthentication() instanceof AccessTokenAuthentication
                        || found.getDelegateAuthentication()
                                instanceof ClientCertificateAuthentication);
    }

    /** Returns the user or the cluster of the context, empty if there is none. */
    private static Map<?, ?> part(
            KubeConfig config, @Nullable List<Object> entries, String member) {
        Object name =
                entry(config.getContexts(), config.getCurrentContext(), "context").get(member);
        return entry(entries, name, member);
    }

    private static Map<?, ?> entry(
            @Nullable List<Object> entries, @Nullable Object name, String member) {
        for (Object entry : entries == null ? List.of() : entries) {
            if (entry instanceof Map<?, ?> named
                    && Objects.equals(named.get("name"), name)
                    && named.get(member) instanceof Map<?, ?> value) {
                return value;
            }
        }
        return Map.of();
    }

    private UpstreamException problem(String text) {
        return new UpstreamException("kubeconfig", file + " " + text + "; try it with kubectl");
    }

    /** Returns the file and the context. */
    @Override
    public String toString() {
        return "kubeconfig " + file + (context == null ? "" : ", context " + context);
    }
}
