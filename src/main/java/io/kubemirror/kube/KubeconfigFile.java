package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;
import io.kubemirror.kube.UpstreamSettings.UpstreamException;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.SSLUtils;
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
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;

import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;

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

    /** The maximum length of an install hint in a message. */
    private static final int MAX_HINT = 500;

    /** The user entries that specify a credential. */
    private static final List<String> CREDENTIALS = List.of("exec", "auth-provider", "token");

    /** The members of a user by which kubectl acts as another one. */
    private static final List<String> IMPERSONATION =
            List.of("as", "as-uid", "as-groups", "as-user-extra");

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
                throw notHttp();
            }
            return ServerConnection.of(url, builder.build(), settings);
        } catch (IOException e) {
            throw problem("cannot read a file that it refers to: " + e.getMessage());
        } catch (UpstreamException e) {
            throw e;
        } catch (RuntimeException _) {
            throw problem(
                    "cannot use the key or the credential of the user; try it with kubectl"
                            + " --context "
                            + config.getCurrentContext());
        }
    }

    private KubeConfig load() {
        try (Reader reader = Files.newBufferedReader(file)) {
            KubeConfig config = KubeConfig.loadKubeConfig(reader);
            config.setFile(file.toFile());
            return config;
        } catch (IOException _) {
            throw problem("cannot read the file; set this property to a readable kubeconfig");
        } catch (MarkedYAMLException malformed) {
            // Without its message, which quotes the file.
            Mark mark = malformed.getProblemMark();
            throw problem(
                    "is not YAML in line %d, column %d; correct the file"
                            .formatted(mark.getLine() + 1, mark.getColumn() + 1));
        } catch (RuntimeException _) {
            throw problem("the file is not a kubeconfig; set this property to a kubeconfig");
        }
    }

    private void select(KubeConfig config) {
        String wanted = context != null ? context : config.getCurrentContext();
        if (wanted == null) {
            throw unusableContext(config, "no current context");
        }
        if (!config.setContext(wanted)) {
            throw unusableContext(config, "no context '" + wanted + "'");
        }
        if (config.getServer() == null) {
            throw unusable(config, "cluster", "has no server");
        }
        Object user = referred(config, "user");
        if (!user.equals("") && !names(config.getUsers()).contains(user)) {
            // The requests of kubectl are then anonymous, which a context with a user never means.
            throw unusable(config, "user", "is missing");
        }
        if (!config.getServer().matches("(?i)https?://.*")) {
            // The client would send the credentials over plain HTTP.
            throw notHttp();
        }
    }

    /** Returns the name of the user or the cluster of the context, empty for none. */
    private static Object referred(KubeConfig config, String member) {
        Object name =
                entry(config.getContexts(), config.getCurrentContext(), "context").get(member);
        return name == null ? "" : name;
    }

    private UpstreamException notHttp() {
        return problem("the server of the cluster is not an http or https URL; correct it");
    }

    private UpstreamException unusable(KubeConfig config, String member, String lack) {
        return new UpstreamException(
                "context",
                "the %s '%s' of context '%s' in %s %s; add it, or correct the name"
                        .formatted(
                                member,
                                referred(config, member),
                                config.getCurrentContext(),
                                file,
                                lack));
    }

    private static List<String> names(@Nullable List<Object> entries) {
        return (entries == null ? List.of() : entries)
                .stream()
                        .filter(Map.class::isInstance)
                        .map(entry -> String.valueOf(((Map<?, ?>) entry).get("name")))
                        .toList();
    }

    private UpstreamException unusableContext(KubeConfig config, String lack) {
        List<String> names = names(config.getContexts());
        if (names.isEmpty()) {
            return problem("has no contexts; set this property to a kubeconfig");
        }
        return new UpstreamException(
                "context", file + " has " + lack + "; set this property to one of " + names);
    }

    /**
     * Creates a client builder. Works around gaps of the official client, which reads a token file
     * only once, relative to the wrong directory and including its line end, and continues without
     * credentials if a plugin fails or a key is missing.
     */
    private ClientBuilder builder(KubeConfig config) throws IOException {
        Map<?, ?> user = part(config, config.getUsers(), "user");
        boolean certified = has(user, "client-certificate");
        if (certified != has(user, "client-key")) {
            throw problem(
                    "the user has a client certificate without a key, or a key without a"
                            + " certificate; add the missing one");
        }
        checkCluster(part(config, config.getClusters(), "cluster"));
        checkUser(user);
        Object tokenFile = user.isEmpty() ? null : user.remove("tokenFile");
        ClientBuilder builder = clientBuilder(config, user);
        if (tokenFile instanceof String path && !certified) {
            Path token = readable("tokenFile", path);
            if (Files.size(token) == 0) {
                throw problem("the tokenFile " + token + " is empty; write a token to it");
            }
            builder.setAuthentication(new TokenFileAuthentication(token.toString(), Duration.ZERO));
        } else if (!authenticates(builder) && CREDENTIALS.stream().anyMatch(user::containsKey)) {
            throw noCredential(user);
        }
        return builder;
    }

    /** The client runs the plugin of the user, and fails if it prints something else. */
    private ClientBuilder clientBuilder(KubeConfig config, Map<?, ?> user) throws IOException {
        try {
            Executor late =
                    CompletableFuture.delayedExecutor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return warning(late, notAnswered(user), () -> ClientBuilder.kubeconfig(config));
        } catch (RuntimeException failure) {
            throw user.containsKey("exec") ? noCredential(user) : failure;
        }
    }

    private String notAnswered(Map<?, ?> user) {
        return String.valueOf(
                problem("the " + source(user) + " has not answered; run it manually to see why")
                        .getMessage());
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

    private UpstreamException noCredential(Map<?, ?> user) {
        return problem(
                "the " + source(user) + " returned no credential; run it manually to see why");
    }

    private static String source(Map<?, ?> user) {
        return user.get("exec") instanceof Map<?, ?> exec
                ? "credential plugin '" + exec.get("command") + "'"
                : "credential plugin or token of the user";
    }

    /** Refuses what the client ignores. */
    private void checkCluster(Map<?, ?> cluster) {
        if (cluster.containsKey("proxy-url")) {
            throw problem(
                    "the cluster has a proxy-url, which kubemirror does not use; remove it, and set"
                            + " the Java properties https.proxyHost and https.proxyPort");
        }
        if (Boolean.TRUE.equals(cluster.get("insecure-skip-tls-verify"))
                && has(cluster, "certificate-authority")) {
            throw problem(
                    "the cluster has a certificate-authority and insecure-skip-tls-verify; remove"
                            + " one of them");
        }
        checkCertificate(cluster, "certificate-authority");
    }

    private void checkUser(Map<?, ?> user) {
        for (String member : IMPERSONATION) {
            if (user.containsKey(member)) {
                throw problem(
                        ("the user has '%s', which kubemirror does not use; remove it, and use the"
                                        + " credentials of the user that it names")
                                .formatted(member));
            }
        }
        if (checkCertificate(user, "client-certificate") instanceof X509Certificate certificate) {
            checkKey(certificate, content(user, "client-key"));
        }
        checkPlugin(user);
    }

    /** The client only logs that it cannot use a key. */
    private void checkKey(X509Certificate certificate, byte[] pem) {
        PrivateKey key;
        try {
            key = SSLUtils.loadKey(pem);
        } catch (IOException | InvalidKeySpecException | RuntimeException _) {
            throw problem("the client-key is not a private key in PEM format; replace it");
        }
        if (!KeyPairs.isPair(key, certificate)) {
            throw problem(
                    "the client-key is not that of the client-certificate; replace one of them");
        }
        try {
            certificate.checkValidity();
        } catch (CertificateExpiredException _) {
            throw problem(
                    "the client-certificate has expired at "
                            + certificate.getNotAfter().toInstant()
                            + "; renew it");
        } catch (CertificateNotYetValidException _) {
            // The clock of this machine may be the one that is wrong.
        }
    }

    /**
     * Names the member and the file, which the client does not.
     *
     * @return the first certificate, null for none
     */
    private @Nullable Certificate checkCertificate(Map<?, ?> owner, String member) {
        byte[] pem = content(owner, member);
        try {
            if (pem.length == 0) {
                return null;
            }
            return CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(pem))
                    .stream()
                    .findFirst()
                    .orElseThrow(() -> new CertificateException("no certificate"));
        } catch (CertificateException _) {
            throw problem(
                    (owner.containsKey(member + "-data")
                                    ? member + "-data"
                                    : member
                                            + " "
                                            + file.resolveSibling(
                                                    String.valueOf(owner.get(member))))
                            + " is not a certificate in PEM format; replace it");
        }
    }

    /** Returns what a member has or refers to; empty if it is absent. */
    private byte[] content(Map<?, ?> owner, String member) {
        try {
            if (owner.get(member + "-data") instanceof String data) {
                return Base64.getMimeDecoder().decode(data);
            }
            return owner.get(member) instanceof String path
                    ? Files.readAllBytes(readable(member, path))
                    : new byte[0];
        } catch (IllegalArgumentException _) {
            throw problem(member + "-data is not Base64; replace it");
        } catch (IOException _) {
            throw problem("cannot read the " + member + " that it refers to");
        }
    }

    /** Returns a file that a member refers to. */
    private Path readable(String member, String path) {
        Path referred = file.resolveSibling(path);
        if (!Files.isReadable(referred)) {
            throw problem(
                    "cannot read the %s %s; create it, or correct the path"
                            .formatted(member, referred));
        }
        return referred;
    }

    /** Says how to install a plugin that is missing, as its kubeconfig does. */
    private void checkPlugin(Map<?, ?> user) {
        if (!(user.get("exec") instanceof Map<?, ?> exec)
                || !(exec.get("command") instanceof String command)
                || isInstalled(command)) {
            return;
        }
        String hint =
                exec.get("installHint") instanceof String text
                        ? text.strip().replaceAll("[\\p{Cntrl}\\s]+", " ")
                        : "";
        String shown = hint.length() > MAX_HINT ? hint.substring(0, MAX_HINT) : hint;
        throw problem(
                "the credential plugin '%s' is not installed%s"
                        .formatted(
                                command,
                                shown.isEmpty()
                                        ? "; install it where kubemirror runs, or use a context"
                                                + " with another user"
                                        : "; its install hint: " + shown));
    }

    /** As kubectl: a path is relative to the file, another command is searched in the path. */
    private boolean isInstalled(String command) {
        if (command.contains("/")) {
            return Files.isExecutable(file.resolveSibling(command));
        }
        String path = System.getenv("PATH");
        return Arrays.stream((path == null ? "" : path).split(File.pathSeparator, -1))
                .map(directory -> Path.of(directory, command))
                .anyMatch(Files::isExecutable);
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

    private static boolean has(Map<?, ?> user, String member) {
        return user.containsKey(member) || user.containsKey(member + "-data");
    }

    /** Returns the user or the cluster of the context. */
    private static Map<?, ?> part(
            KubeConfig config, @Nullable List<Object> entries, String member) {
        return entry(entries, referred(config, member), member);
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
        return new UpstreamException("kubeconfig", file + source + ": " + text);
    }

    /** Returns the file and the context. */
    @Override
    public String toString() {
        return "kubeconfig " + file + (context == null ? "" : ", context " + context);
    }
}
