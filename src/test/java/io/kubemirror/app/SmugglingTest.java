package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import module java.base;

import io.kubemirror.api.http.Query;
import io.kubemirror.testing.Manifests;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.util.ContentCachingRequestWrapper;

/**
 * Request smuggling: whatever bytes a client sends, the API server receives exactly the requests
 * that kubemirror's own server has seen in them, with the same bodies, and nothing else on the same
 * connections.
 *
 * <p>{@code -Dkubemirror.smuggling.seed} repeats a run, {@code -Dkubemirror.smuggling.connections}
 * changes its length.
 */
@ExtendWith(OutputCaptureExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class SmugglingTest {

    private static final long SEED =
            Long.getLong("kubemirror.smuggling.seed", System.currentTimeMillis());
    private static final int CONNECTIONS =
            Integer.getInteger("kubemirror.smuggling.connections", 1_000);
    private static final int CLIENTS = 8;

    /** How long a client waits for more, in milliseconds. */
    private static final int SILENCE = 300;

    /** More than any body has. */
    private static final int MOST = 1 << 16;

    private static final Pattern CODE = Pattern.compile("HTTP/1\\.1 (\\d{3}) ");

    private final ScriptedApiServer api = ScriptedApiServer.create();
    private final StrictServer server = new StrictServer(api.url());
    private final Seen seen = new Seen();
    private final ConfigurableApplicationContext kubemirror;

    SmugglingTest() {
        api.create(Manifests.pod("a", "x"));
        kubemirror =
                ApplicationLauncher.with(
                        Filter.class,
                        seen,
                        "kubemirror.upstream.server=" + server.url(),
                        "kubemirror.resources[0].resource=pods",
                        "kubemirror.pass-through.mode=client",
                        "kubemirror.pass-through.anonymous-reads=true");
    }

    @AfterAll
    void close(CapturedOutput output) throws IOException {
        kubemirror.close();
        assertThat(output)
                .as("requests that are cut off are no errors")
                .doesNotContain("A request failed");
        server.close();
        api.close();
    }

    /** Records what kubemirror's own server takes for a request. */
    private static final class Seen implements Filter {

        private final List<SeenRequest> requests = new CopyOnWriteArrayList<>();

        private record SeenRequest(
                String method, String target, ContentCachingRequestWrapper body) {

            private String key() {
                byte[] read = body.getContentAsByteArray();
                return SmugglingTest.key(method, target, new String(read, ISO_8859_1));
            }
        }

        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain further)
                throws IOException, ServletException {
            ContentCachingRequestWrapper http =
                    new ContentCachingRequestWrapper((HttpServletRequest) request, MOST);
            String query = http.getQueryString();
            String target = http.getRequestURI() + (query == null ? "" : "?" + query);
            requests.add(new SeenRequest(http.getMethod(), target, http));
            further.doFilter(http, response);
        }
    }

    @Test
    void server_receives_exactly_the_requests_that_were_seen() throws Exception {
        System.out.println("smuggling: kubemirror.smuggling.seed=" + SEED);
        SmuggledBytes bytes = new SmuggledBytes(SEED);
        List<Future<String>> answers = new ArrayList<>();
        try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
            for (int i = 0; i < CONNECTIONS; i++) {
                byte[] sent = bytes.next();
                answers.add(clients.submit(() -> exchange(sent)));
            }
        }
        Map<String, Long> codes = codes(answers);
        System.out.println(
                "smuggling: %d requests seen, %d received, answers by code %s"
                        .formatted(seen.requests.size(), server.requests().size(), codes));

        assertThat(server.faults()).as("seed %d", SEED).isEmpty();
        Map<String, Long> received =
                counted(
                        server.requests(),
                        request -> key(request.method(), request.target(), request.body()));
        Map<String, Long> passed = counted(seen.requests, Seen.SeenRequest::key);
        received.forEach(
                (request, count) ->
                        assertThat(passed.getOrDefault(request, 0L))
                                .as("seed %d, received %s", SEED, request)
                                .isGreaterThanOrEqualTo(count));
        assertThat(codes.getOrDefault("200", 0L))
                .as("each of them has one answer of the server")
                .isLessThanOrEqualTo(server.requests().size());
        assertThat(codes).as("seed %d", SEED).doesNotContainKey("500");
        assertThat(codes).containsKeys("200", "400", "401");
        assertThat(server.requests())
                .allSatisfy(request -> assertThat(request.values("Authorization")).hasSize(1));
    }

    /** Jetty takes any visible character for the first of a method. */
    @Test
    void request_whose_method_is_no_token_is_not_passed_on() {
        for (String line : List.of("@OST /passed/x", "(GET /passed/x", "{ /passed/x")) {
            assertThat(answer(line)).as(line).startsWith("HTTP/1.1 400 ");
        }
        assertThat(server.faults()).isEmpty();
    }

    /** Jetty takes what follows two slashes for the name of a host, once a request is resumed. */
    @Test
    void path_that_looks_like_a_host_is_not_found() {
        for (String line :
                List.of("GET //readyz;/apis/", "GET //a:b/passed/x", "GET //x/api/v1/secrets")) {
            assertThat(answer(line)).as(line).startsWith("HTTP/1.1 404 ");
        }
    }

    private String answer(String line) {
        String sent =
                line
                        + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n"
                        + "Connection: close\r\n\r\n";
        return exchange(sent.getBytes(ISO_8859_1));
    }

    /** Escapes that are not necessary mean the same. */
    private static String key(String method, String target, String body) {
        String decoded = Query.decoded(target).orElse(target);
        return method + " " + decoded + "\n" + body;
    }

    private static <T> Map<String, Long> counted(List<T> all, Function<T, String> key) {
        return all.stream().collect(Collectors.groupingBy(key, Collectors.counting()));
    }

    private static Map<String, Long> codes(List<Future<String>> answers) throws Exception {
        List<String> codes = new ArrayList<>();
        for (Future<String> answer : answers) {
            Matcher code = CODE.matcher(answer.get());
            while (code.find()) {
                codes.add(code.group(1));
            }
        }
        return counted(codes, Function.identity());
    }

    /**
     * Sends, and reads until the server closes the connection, or is silent and may wait for more.
     * Closing earlier would end requests on their way.
     */
    private String exchange(byte[] sent) {
        int port =
                kubemirror.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(SILENCE);
            socket.getOutputStream().write(sent);
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            try {
                socket.getInputStream().transferTo(answer);
            } catch (IOException silent) {
                // The server may wait for the rest of a request.
            }
            return answer.toString(ISO_8859_1);
        } catch (IOException closed) {
            return "";
        }
    }
}
