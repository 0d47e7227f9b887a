package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.testing.JsonTrees;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

/**
 * Whatever a client sends, it gets one of the documented answers: never a 500, never a page of
 * HTML, and a Status wherever the API server sends one.
 *
 * <p>{@code -Dkubemirror.fuzz.seed} repeats a run, {@code -Dkubemirror.fuzz.requests} changes its
 * length.
 */
class FuzzTest {

    @AutoClose
    private static final ApiFixture SERVED = ApiFixture.of("pods", "nodes", "jobs.batch");

    static {
        ApiSamples.fillWithGoldenPods(SERVED.writer(0));
        SERVED.writer(1).identify(ApiSamples.NODES, DeclaredFields.NONE);
        ApiSamples.synchronize(SERVED.writer(1), 20, ApiSamples.object("", "n", 10));
    }

    private static final long SEED =
            Long.getLong("kubemirror.fuzz.seed", System.currentTimeMillis());
    private static final int REQUESTS = Integer.getInteger("kubemirror.fuzz.requests", 4_000);
    private static final int CLIENTS = 8;

    /**
     * The codes of list-watch.md#errors, those of HTTP for input that is not a request, and those
     * of an unavailable server.
     */
    private static final Set<Integer> DOCUMENTED =
            Set.of(
                    101, 200, 304, 400, 403, 404, 405, 406, 410, 414, 417, 422, 426, 429, 431, 501,
                    503, 504, 505);

    /**
     * Cases in which the API server sends text: list-watch.md#errors, #pa-19c, and input that is
     * not HTTP.
     */
    private static final Set<Integer> WITHOUT_STATUS = Set.of(400, 404, 417, 426, 501, 504, 505);

    private static final Pattern HEAD =
            Pattern.compile("HTTP/1\\.[01] (\\d{3})[^\r]*\r\n(.*?)\r\n\r\n", Pattern.DOTALL);
    private static final Pattern CONTENT_LENGTH = Pattern.compile("content-length: (\\d+)");

    @Test
    void random_requests_get_documented_responses() throws Exception {
        System.out.println("fuzz: kubemirror.fuzz.seed=" + SEED);
        RandomRequests requests = new RandomRequests(SEED);
        List<byte[]> all = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            all.add(requests.next());
        }
        List<Future<?>> checks = new ArrayList<>();
        try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
            all.forEach(request -> checks.add(clients.submit(() -> check(request))));
        }
        for (Future<?> check : checks) {
            check.get();
        }
        assertThat(SERVED.client().get("/api/v1/pods").code()).isEqualTo(200);
    }

    private static void check(byte[] request) {
        String answer = exchange(request);
        String description = "seed " + SEED + ", request\n" + text(request) + "\nanswer\n" + answer;
        String rest = answer;
        // An empty line can end a request early. What follows is the next request.
        for (Matcher head = HEAD.matcher(rest); head.lookingAt(); head = HEAD.matcher(rest)) {
            String headers = head.group(2).toLowerCase(Locale.ROOT);
            String further = rest.substring(head.end());
            String body = further.substring(0, bodyLength(headers, further));
            checkResponse(Integer.parseInt(head.group(1)), headers, body, description);
            rest = further.substring(body.length());
        }
        // Input without an end or a beginning is not a request and gets no response.
        assertThat(rest).as(description).isEmpty();
    }

    /** The bytes of a body: none after HEAD, and all that is left if they are chunks. */
    private static int bodyLength(String headers, String further) {
        Matcher length = CONTENT_LENGTH.matcher(headers);
        if (further.isEmpty() || further.startsWith("HTTP/1.")) {
            return 0;
        }
        return length.find() ? Integer.parseInt(length.group(1)) : further.length();
    }

    private static void checkResponse(int code, String headers, String body, String description) {
        assertThat(DOCUMENTED).as(description).contains(code);
        assertThat(headers).as(description).doesNotContain("text/html");
        assertThat(body.toLowerCase(Locale.ROOT)).as(description).doesNotContain("<html", "<!doc");
        if (code >= 400 && headers.contains("content-type: application/json")) {
            checkStatus(body, code, description);
        } else if (code >= 400) {
            assertThat(WITHOUT_STATUS).as(description).contains(code);
            assertThat(headers).as(description).contains("content-type: text/plain");
        }
    }

    /** A response to HEAD has no body. */
    private static void checkStatus(String body, int code, String description) {
        if (!body.isEmpty()) {
            JsonNode status = JsonTrees.parse(body);
            assertThat(status.path("kind").asString("")).as(description).isEqualTo("Status");
            assertThat(status.path("code").asInt(0)).as(description).isEqualTo(code);
        }
    }

    /** Sends and half-closes, which ends watches and requests that are not complete. */
    private static String exchange(byte[] request) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), SERVED.port())) {
            socket.getOutputStream().write(request);
            socket.shutdownOutput();
            String answer = text(socket.getInputStream().readAllBytes());
            return answer.replaceFirst("^HTTP/1.1 100 Continue\r\n\r\n", "");
        } catch (IOException closed) {
            return "";
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
