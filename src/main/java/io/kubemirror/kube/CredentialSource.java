package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;
import io.kubemirror.kube.UpstreamSettings.UpstreamException;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.credentials.Authentication;
import io.kubernetes.client.util.credentials.TokenFileAuthentication;

import okhttp3.ConnectionSpec;
import okhttp3.Credentials;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.pem.PemContent;
import org.springframework.boot.ssl.pem.PemSslStore;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;

import java.security.Signature;
import java.security.cert.X509Certificate;

/**
 * A source of the API server address and the credentials.
 *
 * <p>Each call of {@link #connect} reads the files and runs the plugins again. In this way
 * everything that expires is renewed: when the server rejects a credential or its certificate is no
 * longer trusted, {@link KubeClient} connects once more. Rejected: the {@code
 * RefreshAuthentication} of the official client, which runs a plugin every few minutes whether or
 * not its token has expired, never on a 401, and cannot replace client certificates.
 */
sealed interface CredentialSource {

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
     * @param rejected whether the server has rejected earlier ones; only then is a client
     *     certificate refused that is not valid at present, because the clocks may differ
     * @throws UpstreamException if the source cannot be used
     */
    ServerConnection connect(ClientSettings settings, boolean rejected);

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
        public ServerConnection connect(ClientSettings settings, boolean rejected) {
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
        public ServerConnection connect(ClientSettings settings, boolean rejected) {
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

    /**
     * A context of a kubeconfig file, as the official client reads it.
     *
     * @param file the file, as an absolute path
     * @param context the name of the context, or null for the current context of the file
     */
    record KubeconfigFile(Path file, @Nullable String context) implements CredentialSource {

        /**
         * The members of a cluster or a user that the official client ignores, and kubectl does
         * not.
         */
        private static final Set<String> IGNORED =
                Set.of("proxy-url", "as", "as-uid", "as-groups", "as-user-extra");

        private static final Set<String> PLUGIN = Set.of("exec", "auth-provider");

        /** The official client would read them, with a library of 10 MB. */
        private static final Set<String> KEY_PAIR =
                Set.of(
                        "client-certificate",
                        "client-certificate-data",
                        "client-key",
                        "client-key-data");

        private static final Map<String, String> SIGNATURES =
                Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA");

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
        public ServerConnection connect(ClientSettings settings, boolean rejected) {
            try (Reader reader = Files.newBufferedReader(file)) {
                KubeConfig config = KubeConfig.loadKubeConfig(reader);
                config.setFile(file.toFile());
                if (context != null && !config.setContext(context)) {
                    throw problem("has no context '" + context + "'");
                }
                ClientBuilder builder = builder(config, rejected);
                return ServerConnection.of(
                        HttpUrl.get(builder.getBasePath()), builder.build(), settings);
            } catch (UpstreamException e) {
                throw e;
            } catch (IOException | GeneralSecurityException | RuntimeException e) {
                throw problem("cannot be used (" + reason(e) + ")");
            }
        }

        /** Returns the file that cannot be read; other messages may quote what it has. */
        private static String reason(Throwable failure) {
            for (Throwable one = failure; one != null; one = one.getCause()) {
                if (one instanceof FileSystemException) {
                    return one.getClass().getSimpleName() + " " + one.getMessage();
                }
            }
            return failure.getClass().getSimpleName();
        }

        /**
         * Works around gaps of the official client, which reads a token file only once, and sends
         * anonymous requests if a plugin fails.
         */
        private ClientBuilder builder(KubeConfig config, boolean rejected)
                throws IOException, GeneralSecurityException {
            String server = config.getServer();
            // The client would send the credentials over plain HTTP.
            if (server == null || !server.matches("(?i)https?://.*")) {
                throw problem("has a server that is not an http or https URL");
            }
            Map<Object, Object> user = part(config, config.getUsers(), "user");
            refuseIgnored(user, part(config, config.getClusters(), "cluster"));
            if (!Collections.disjoint(user.keySet(), PLUGIN)) {
                runPlugin(config, user);
            }
            KeyManager[] keys = keyManagers(config, user, rejected);
            user.keySet().removeAll(KEY_PAIR);
            Object token = user.remove("tokenFile");
            ClientBuilder builder = ClientBuilder.kubeconfig(config);
            Authentication header =
                    token == null
                            ? builder.getAuthentication()
                            : new TokenFileAuthentication(
                                    file.resolveSibling(token.toString()).toString(),
                                    Duration.ZERO);
            return builder.setAuthentication(
                    client -> {
                        header.provide(client);
                        client.setKeyManagers(keys);
                    });
        }

        private void refuseIgnored(Map<Object, Object> user, Map<Object, Object> cluster) {
            for (String member : IGNORED) {
                if (user.containsKey(member) || cluster.containsKey(member)) {
                    throw problem("has '" + member + "', which kubemirror does not use");
                }
            }
        }

        /** Runs the plugin of the user, and puts its credentials in its place. */
        private void runPlugin(KubeConfig config, Map<Object, Object> user) {
            Map<String, String> found =
                    Objects.requireNonNullElse(config.getCredentials(), Map.of());
            user.keySet().removeAll(PLUGIN);
            if (found.get("token") != null) {
                user.put("token", found.get("token"));
            } else if (found.get("clientCertificateData") != null
                    && found.get("clientKeyData") != null) {
                user.put("client-certificate-data", base64(found.get("clientCertificateData")));
                user.put("client-key-data", base64(found.get("clientKeyData")));
            } else {
                throw problem("gets no credentials from its plugin");
            }
        }

        /** Returns the key of the client certificate, null if there is none. */
        private KeyManager @Nullable [] keyManagers(
                KubeConfig config, Map<Object, Object> user, boolean rejected)
                throws IOException, GeneralSecurityException {
            List<X509Certificate> certificates =
                    pem(config, user, "client-certificate", PemContent::getCertificates);
            PrivateKey key = pem(config, user, "client-key", PemContent::getPrivateKey);
            if (certificates == null) {
                return null;
            }
            if (key == null) {
                throw problem("has a client-certificate without a client-key");
            }
            if (!isPair(certificates.getFirst().getPublicKey(), key)) {
                throw problem("has a client-key that is not the key of its client-certificate");
            }
            if (rejected) {
                requireValid(certificates.getFirst(), place(user, "client-certificate"));
            }
            PemSslStore pair = PemSslStore.of(certificates, key);
            KeyManagerFactory managers =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(new PemSslStoreBundle(pair, null).getKeyStore(), new char[0]);
            return managers.getKeyManagers();
        }

        /** Returns what a member has, or the file that it names; null if there is none. */
        private <T> @Nullable T pem(
                KubeConfig config,
                Map<Object, Object> user,
                String member,
                Function<PemContent, @Nullable T> content)
                throws IOException {
            String path = Objects.toString(user.get(member), null);
            String data = Objects.toString(user.get(member + "-data"), null);
            try {
                byte[] text = config.getDataOrFileRelative(data, path);
                return text == null
                        ? null
                        : content.apply(PemContent.of(new String(text, StandardCharsets.US_ASCII)));
            } catch (RuntimeException _) {
                throw problem(
                        "has a " + place(user, member) + " that is not PEM, or needs a password");
            }
        }

        private static String place(Map<Object, Object> user, String member) {
            String data = member + "-data";
            return user.get(data) != null ? data : member + " " + user.get(member);
        }

        /** A server that rejects a certificate does not say that it has expired. */
        private void requireValid(X509Certificate certificate, String place) {
            Instant now = Instant.now();
            Instant begin = certificate.getNotBefore().toInstant();
            Instant end = certificate.getNotAfter().toInstant();
            if (now.isAfter(end)) {
                throw problem("has a " + place + " that expired at " + end);
            }
            if (now.isBefore(begin)) {
                throw problem("has a " + place + " that is not valid before " + begin);
            }
        }

        /** A server closes the connection of a key that is not the certified one without a word. */
        private static boolean isPair(PublicKey certified, PrivateKey key)
                throws GeneralSecurityException {
            if (!certified.getAlgorithm().equals(key.getAlgorithm())) {
                return false;
            }
            String algorithm = SIGNATURES.get(key.getAlgorithm());
            if (algorithm == null) {
                return true;
            }
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            byte[] signed = signature.sign();
            signature.initVerify(certified);
            return signature.verify(signed);
        }

        private static String base64(String text) {
            return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
        }

        /** Returns the user or the cluster of the context, empty if there is none. */
        private static Map<Object, Object> part(
                KubeConfig config, @Nullable List<Object> entries, String member) {
            Object name =
                    entry(config.getContexts(), config.getCurrentContext(), "context").get(member);
            return entry(entries, name, member);
        }

        // A map that is read from YAML has keys and values of any type.
        @SuppressWarnings("unchecked")
        private static Map<Object, Object> entry(
                @Nullable List<Object> entries, @Nullable Object name, String member) {
            for (Object entry : entries == null ? List.of() : entries) {
                if (entry instanceof Map<?, ?> named
                        && Objects.equals(named.get("name"), name)
                        && named.get(member) instanceof Map<?, ?> value) {
                    return (Map<Object, Object>) value;
                }
            }
            return new HashMap<>();
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
}
