package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.feature.forward.RandomOperations.Operation;
import io.kubemirror.kube.ReviewClient;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.model.Identity;
import io.kubemirror.testing.Closer;
import io.kubemirror.testing.Manifests;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.ServerAccess;
import io.kubemirror.testing.real.ServerBinaries;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.cert.X509Certificate;

/**
 * Sends the same random requests to an API server, and through kubemirror to another one with the
 * same content, with each of five identities. Status, headers, and body have to be equal, and so
 * has what the servers hold in the end.
 *
 * <p>{@code -Dkubemirror.differential.seed} makes other requests than those of a build.
 */
@WithApiServer
@Timeout(600)
class PassThroughDifferentialTest {

    private static final long SEED = Long.getLong("kubemirror.differential.seed", 20_261_124);
    private static final int REQUESTS = Integer.getInteger("kubemirror.differential.requests", 200);

    /** The tokens; the last one belongs to nobody. */
    private static final List<String> IDENTITIES =
            List.of("test-ground", "t-reader", "t-editor", "t-outsider", "t-invented");

    private static final List<String> POLICIES =
            List.of(
                    "{\"user\":\"reader\",\"readonly\":true,\"nonResourcePath\":\"*\"}",
                    "{\"user\":\"reader\",\"readonly\":true,\"namespace\":\"*\",\"resource\":\"*\","
                            + "\"apiGroup\":\"*\"}",
                    "{\"user\":\"editor\",\"readonly\":true,\"nonResourcePath\":\"*\"}",
                    "{\"user\":\"editor\",\"namespace\":\"left\",\"resource\":\"*\","
                            + "\"apiGroup\":\"*\"}");

    /** The headers that clients act on. */
    private static final List<String> HEADERS =
            List.of(
                    "content-type",
                    "warning",
                    "retry-after",
                    "allow",
                    "cache-control",
                    "www-authenticate",
                    "x-content-type-options",
                    "location");

    /** What two servers with the same history do not agree on. */
    private static final Pattern INDIVIDUAL =
            Pattern.compile(
                    "(?<=\")(\\d+[dhms])+(?=\")|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
                        + "|\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z|(?<=\"resourceVersion\":"
                        + " ?\")\\d+|(?<=\"continue\": ?\")[^\"]+|(?<=\"serverAddress\": ?\")[^\"]+"
                        + "|(?<=hash=)[0-9A-F]+");

    private static final Pattern MANAGERS = Pattern.compile("\"managedFields\": ?\\[");

    @AutoClose private final Closer open = new Closer();
    private final Path directory;
    private final RealApiServer direct;
    private final RealApiServer behind;
    @AutoClose private final HttpClient http = client();

    PassThroughDifferentialTest(@TempDir Path directory) throws Exception {
        this.directory = directory;
        Assumptions.assumeTrue(
                ServerBinaries.find().isPresent(), "only executables read files of ours");
        direct = open.add(server("direct"));
        behind = open.add(server("behind"));
        Files.writeString(directory.resolve("config"), behind.kubeconfig().orElseThrow());
    }

    private ConfigurableApplicationContext startInModeClient() {
        Map<String, Identity> identities =
                Map.of(
                        "test-ground", identity("admin", "system:masters"),
                        "t-reader", identity("reader"),
                        "t-editor", identity("editor"),
                        "t-outsider", identity("outsider"));
        return open.add(
                ApplicationLauncher.with(
                        ReviewClient.class,
                        new AbacReviews(identities, POLICIES),
                        "kubemirror.upstream.server=",
                        "kubemirror.upstream.kubeconfig=" + directory.resolve("config"),
                        "kubemirror.resources[0].resource=pods",
                        "kubemirror.resources[1].resource=configmaps",
                        "kubemirror.access.authentication=token-review",
                        "kubemirror.pass-through.mode=client"));
    }

    private RealApiServer server(String name) throws Exception {
        ServerAccess access = new ServerAccess(Files.createDirectory(directory.resolve(name)));
        access.knowUsers(
                List.of(
                        "t-reader,reader,reader",
                        "t-editor,editor,editor",
                        "t-outsider,outsider,o"));
        access.knowCertificates(TestCertificates.of("nobody", "nobody").certificatePem());
        access.permit(POLICIES);
        RealApiServer server = RealApiServer.start(ServerBinaries.find().orElseThrow(), access);
        for (String namespace : List.of("left", "right")) {
            server.ensureNamespace(namespace);
            server.create(Manifests.configMap(namespace, "a"));
            server.create(Manifests.pod(namespace, "b").label("app", "v"));
        }
        return server;
    }

    private static Identity identity(String name, String... groups) {
        return new Identity(
                name,
                name,
                Stream.concat(Stream.of(groups), Stream.of(Identity.AUTHENTICATED)).toList(),
                Map.of());
    }

    /**
     * Returns whether a write was refused because its namespace is going or gone. Which of the two,
     * an API server knows from its own cache, so that it is a matter of milliseconds.
     */
    private static boolean isWithoutNamespace(Answer answer) {
        return (answer.code() == 403 && answer.body().contains("NamespaceTerminating"))
                || (answer.code() == 404 && answer.body().contains("\"kind\":\"namespaces\""));
    }

    @Test
    void answers_equal_those_of_the_api_server_for_every_identity() throws Exception {
        ConfigurableApplicationContext kubemirror = startInModeClient();
        System.out.println("differential: kubemirror.differential.seed=" + SEED);
        URI served = ApplicationLauncher.url(kubemirror, "local.server.port");
        var _ = ApplicationLauncher.ready(kubemirror);
        List<String> different = new ArrayList<>();
        Map<Integer, Integer> codes = new TreeMap<>();
        for (String token : IDENTITIES) {
            RandomOperations operations = new RandomOperations(SEED);
            for (int i = 0; i < REQUESTS; i++) {
                Operation operation = operations.next();
                Answer expected = send(direct.url(), token, operation);
                Answer actual = send(served, token, operation);
                settle(operation, expected, served, token);
                codes.merge(expected.code(), 1, Integer::sum);
                if (!actual.equals(expected)
                        && !(isWithoutNamespace(actual) && isWithoutNamespace(expected))) {
                    different.add(
                            "%s %d %s%n  API server %s%n  kubemirror %s"
                                    .formatted(token, i, operation, expected, actual));
                }
            }
        }
        System.out.println("differential: answers by code " + codes);
        assertThat(different)
                .as("seed %d, %d of %d", SEED, different.size(), REQUESTS * IDENTITIES.size())
                .isEmpty();
        assertThat(content(behind)).as("seed %d", SEED).isEqualTo(content(direct));
        // The requests do what they are meant to.
        assertThat(codes.keySet()).contains(200, 201, 400, 401, 403, 404, 405, 409, 415);
    }

    /**
     * Waits until the objects of a namespace that goes are gone, which a server deletes one after
     * the other after it has answered.
     */
    private void settle(Operation operation, Answer answered, URI served, String token)
            throws Exception {
        String namespace = operation.target();
        if (!operation.method().equals("DELETE")
                || !namespace.matches("/api/v1/namespaces/\\w+")
                || answered.code() >= 300) {
            return;
        }
        for (URI server : List.of(direct.url(), behind.url())) {
            awaitAnswer(server, IDENTITIES.getFirst(), namespace, answer -> answer.code() == 404);
        }
        for (String mirrored : List.of("/pods", "/configmaps")) {
            awaitAnswer(
                    served,
                    token,
                    namespace + mirrored,
                    answer -> answer.body().contains("\"items\":[]"));
        }
    }

    private void awaitAnswer(URI server, String token, String target, Predicate<Answer> wanted)
            throws Exception {
        Operation get = new Operation("GET", target, List.of(), "");
        for (int i = 0; !wanted.test(send(server, token, get)); i++) {
            assertThat(i).isLessThan((int) WaitLimit.GENEROUS.toMillis() / 10);
            http.awaitTermination(Duration.ofMillis(10));
        }
    }

    /** Everything that a server holds, as its administrator sees it. */
    private Map<String, String> content(RealApiServer server) throws Exception {
        Map<String, String> content = new LinkedHashMap<>();
        for (String target :
                List.of(
                        "/api/v1/pods",
                        "/api/v1/configmaps",
                        "/api/v1/services",
                        "/api/v1/secrets",
                        "/apis/apps/v1/deployments",
                        "/apis/coordination.k8s.io/v1/namespaces/left/leases")) {
            Operation list = new Operation("GET", target, List.of(), "");
            content.put(target, send(server.url(), IDENTITIES.getFirst(), list).body());
        }
        return content;
    }

    /** An answer without what is individual. */
    private record Answer(int code, Map<String, String> headers, String body) {}

    private Answer send(URI server, String token, Operation operation) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(server + operation.target()))
                        .method(
                                operation.method(),
                                operation.body().isEmpty()
                                        ? BodyPublishers.noBody()
                                        : BodyPublishers.ofString(operation.body()));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        for (int i = 0; i < operation.headers().size(); i += 2) {
            request.header(operation.headers().get(i), operation.headers().get(i + 1));
        }
        HttpResponse<byte[]> response = http.send(request.build(), BodyHandlers.ofByteArray());
        Map<String, String> headers =
                response.headers().map().entrySet().stream()
                        .filter(header -> HEADERS.contains(header.getKey()))
                        .collect(
                                Collectors.toMap(
                                        Map.Entry::getKey,
                                        header ->
                                                String.join("\n", header.getValue())
                                                        .replace("; ", ";")));
        return new Answer(
                response.statusCode(),
                new TreeMap<>(headers),
                withSortedManagers(
                                INDIVIDUAL
                                        .matcher(ProtobufDocument.text(response.body()))
                                        .replaceAll("*"))
                        // A mirror's empty list is one that every client can read
                        // (compatibility.md).
                        .replaceAll("\"items\":( ?)null", "\"items\":$1[]"));
    }

    /**
     * Sorts the managers of fields. The API server sorts them by the seconds of their times, and
     * two servers need not do the same writes in the same second.
     */
    private static String withSortedManagers(String json) {
        Matcher list = MANAGERS.matcher(json);
        StringBuilder sorted = new StringBuilder();
        int end = 0;
        while (list.find(end)) {
            sorted.append(json, end, list.end());
            List<String> managers = new ArrayList<>();
            List<String> gaps = new ArrayList<>();
            int at = list.end();
            for (int next = json.indexOf('{', at);
                    next >= 0 && json.substring(at, next).matches("[\\s,]*");
                    next = json.indexOf('{', at)) {
                gaps.add(json.substring(at, next));
                at = endOfObject(json, next);
                managers.add(json.substring(next, at));
            }
            Collections.sort(managers);
            for (int i = 0; i < managers.size(); i++) {
                sorted.append(gaps.get(i)).append(managers.get(i));
            }
            end = at;
        }
        return sorted.append(json, end, json.length()).toString();
    }

    /** Returns where an object ends. No name of a field that the requests set has braces. */
    private static int endOfObject(String json, int begin) {
        int depth = 0;
        for (int i = begin; i < json.length(); i++) {
            depth += json.charAt(i) == '{' ? 1 : json.charAt(i) == '}' ? -1 : 0;
            if (depth == 0) {
                return i + 1;
            }
        }
        return json.length();
    }

    private static HttpClient client() {
        try {
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(null, new TrustManager[] {new TrustEverything()}, null);
            return HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .sslContext(tls)
                    .build();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** A self-signed certificate cannot be verified, which is acceptable on loopback. */
    private static final class TrustEverything extends X509ExtendedTrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
