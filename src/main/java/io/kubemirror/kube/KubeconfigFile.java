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
import io.kubernetes.client.util.credentials.UsernamePasswordAuthentication;

import okhttp3.HttpUrl;

import org.apache.commons.io.function.IOSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A context of a kubeconfig file.
 *
 * @param file the file, as an absolute path
 * @param context the name of the context, or null for the current context of the file
 * @param source how the file was found, for messages
 */
record KubeconfigFile(Path file, @Nullable String context, String source)
        implements CredentialSource {

    private static final Logger log = LoggerFactory.getLogger(KubeconfigFile.class);

    /** How long a plugin may take before a warning. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final String NO_URL = "the server of its cluster is not an http or https URL";

    /** The members of a user that specify a credential. */
    private static final List<String> CREDENTIALS =
            List.of(
                    "exec",
                    "auth-provider",
                    "token",
                    "client-certificate",
                    "client-certificate-data",
                    "client-key",
                    "client-key-data");

    /**
     * The members of a cluster or a user that the official client ignores, and kubectl does not.
     */
    private static final List<String> IGNORED =
            List.of("proxy-url", "as", "as-uid", "as-groups", "as-user-extra");

    /**
     * Returns the configured file, or the one that kubectl would use.
     *
     * @throws UpstreamException if none is configured and kubectl would find none
     */
    static KubeconfigFile choose(UpstreamSettings settings, ProcessEnvironment environment) {
        if (settings.kubeconfig() != null) {
            return of(settings.kubeconfig(), settings, "");
        }
        String variable = environment.variable("KUBECONFIG");
        if (variable != null) {
            if (variable.contains(File.pathSeparator)) {
                throw new UpstreamException(
                        "kubeconfig",
                        "$KUBECONFIG lists several files; set this property to one of them");
            }
            return of(variable, settings, " (from $KUBECONFIG)");
        }
        Path usual = environment.home().resolve(".kube").resolve("config");
        if (!Files.exists(usual)) {
            throw new UpstreamException(
                    "kubeconfig",
                    "found no service account, no $KUBECONFIG and no "
                            + usual
                            + "; set this property or kubemirror.upstream.server");
        }
        return of(usual.toString(), settings, " (the default file)");
    }

    private static KubeconfigFile of(String path, UpstreamSettings settings, String source) {
        return new KubeconfigFile(Path.of(path).toAbsolutePath(), settings.context(), source);
    }

    @Override
    public ServerConnection connect(ClientSettings settings) {
        KubeConfig config = load();
        try {
            select(config);
            ClientBuilder builder = builder(config);
            HttpUrl url = HttpUrl.parse(builder.getBasePath());
            if (url == null) {
                throw unusable(config, NO_URL);
            }
            return ServerConnection.of(url, builder.build(), settings);
        } catch (UpstreamException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw unusable(config, cause(e));
        }
    }

    /** Without the message, which may quote what the file has. */
    private static String cause(Exception e) {
        return e instanceof FileSystemException missing
                ? "cannot read " + missing.getFile()
                : e.getClass().getSimpleName();
    }

    private KubeConfig load() {
        try (Reader reader = Files.newBufferedReader(file)) {
            KubeConfig config = KubeConfig.loadKubeConfig(reader);
            config.setFile(file.toFile());
            return config;
        } catch (IOException | RuntimeException e) {
            throw problem("is not a readable kubeconfig (%s)".formatted(cause(e)));
        }
    }

    /** A context without a user is anonymous, but one whose user is missing is a mistake. */
    private void select(KubeConfig config) {
        String wanted = context != null ? context : config.getCurrentContext();
        if (wanted == null || !config.setContext(wanted)) {
            throw new UpstreamException(
                    "context",
                    "%s has no %s; set this property to one of %s"
                            .formatted(
                                    file,
                                    wanted == null ? "current context" : "context '" + wanted + "'",
                                    names(config.getContexts())));
        }
        String server = config.getServer();
        // The client would send the credentials over plain HTTP.
        if (server == null || !server.matches("(?i)https?://.*")) {
            throw unusable(config, NO_URL);
        }
        String user = referred(config, "user");
        if (!user.isEmpty() && !names(config.getUsers()).contains(user)) {
            throw unusable(config, "its user '" + user + "' is missing");
        }
    }

    /**
     * Creates a client builder. Works around gaps of the official client, which ignores members,
     * reads a token file only once, relative to the wrong directory and including its line end, and
     * continues without credentials if a plugin fails or a key is missing.
     */
    private ClientBuilder builder(KubeConfig config) throws IOException {
        Map<?, ?> user = part(config, config.getUsers(), "user");
        Map<?, ?> cluster = part(config, config.getClusters(), "cluster");
        refuseIgnored(config, user);
        refuseIgnored(config, cluster);
        if (Boolean.TRUE.equals(cluster.get("insecure-skip-tls-verify"))
                && cluster.keySet().stream()
                        .anyMatch(name -> name.toString().startsWith("certificate-authority"))) {
            throw unusable(config, "its cluster has insecure-skip-tls-verify and an authority");
        }
        Object tokenFile = user.isEmpty() ? null : user.remove("tokenFile");
        ClientBuilder builder = clientBuilder(config);
        if (authenticates(builder)) {
            return builder;
        }
        if (CREDENTIALS.stream().anyMatch(user::containsKey)) {
            throw unusable(config, "its user has no credential; run its plugin to see why");
        }
        if (tokenFile instanceof String path) {
            Path token = file.resolveSibling(path);
            if (Files.size(token) == 0) {
                throw unusable(config, token + " is empty");
            }
            builder.setAuthentication(new TokenFileAuthentication(token.toString(), Duration.ZERO));
        }
        return builder;
    }

    private void refuseIgnored(KubeConfig config, Map<?, ?> part) {
        for (String member : IGNORED) {
            if (part.containsKey(member)) {
                throw unusable(config, "it has '" + member + "', which kubemirror does not use");
            }
        }
    }

    private ClientBuilder clientBuilder(KubeConfig config) throws IOException {
        Executor late = CompletableFuture.delayedExecutor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        String warning = unusable(config, "its credential plugin has not answered").getMessage();
        return warning(late, String.valueOf(warning), () -> ClientBuilder.kubeconfig(config));
    }

    /**
     * Logs a warning if something takes longer: the client waits for a plugin without a limit.
     *
     * @param late runs what it is given when the time is over
     * @param slow reads a kubeconfig, and runs its plugin
     */
    static ClientBuilder warning(Executor late, String warning, IOSupplier<ClientBuilder> slow)
            throws IOException {
        CompletableFuture<Void> logged = CompletableFuture.runAsync(() -> log.warn(warning), late);
        try {
            return slow.get();
        } finally {
            logged.cancel(false);
        }
    }

    private static boolean authenticates(ClientBuilder builder) {
        return builder.getAuthentication() instanceof KubeconfigAuthentication authentication
                && switch (authentication.getDelegateAuthentication()) {
                    case ClientCertificateAuthentication _,
                            UsernamePasswordAuthentication _,
                            AccessTokenAuthentication _ ->
                            true;
                    default -> false;
                };
    }

    private static List<String> names(@Nullable List<Object> entries) {
        return (entries == null ? List.of() : entries)
                .stream()
                        .filter(Map.class::isInstance)
                        .map(entry -> String.valueOf(((Map<?, ?>) entry).get("name")))
                        .toList();
    }

    /** Returns the user or the cluster of the context. */
    private static Map<?, ?> part(
            KubeConfig config, @Nullable List<Object> entries, String member) {
        return entry(entries, referred(config, member), member);
    }

    /** Returns the name of the user or the cluster of the context, empty for none. */
    private static String referred(KubeConfig config, String member) {
        Object name =
                entry(config.getContexts(), config.getCurrentContext(), "context").get(member);
        return name == null ? "" : name.toString();
    }

    private static Map<?, ?> entry(
            @Nullable List<Object> entries, @Nullable String name, String member) {
        for (Object entry : entries == null ? List.of() : entries) {
            if (entry instanceof Map<?, ?> named
                    && Objects.equals(named.get("name"), name)
                    && named.get(member) instanceof Map<?, ?> value) {
                return value;
            }
        }
        return Map.of();
    }

    private UpstreamException unusable(KubeConfig config, String cause) {
        return problem(
                "cannot use context '%s': %s; try it with kubectl"
                        .formatted(config.getCurrentContext(), cause));
    }

    private UpstreamException problem(String text) {
        return new UpstreamException("kubeconfig", file + source + ": " + text);
    }

    /** Returns the file and the context. */
    @Override
    public String toString() {
        return "kubeconfig " + file + (context == null ? "" : ", context " + context);
    }
}
