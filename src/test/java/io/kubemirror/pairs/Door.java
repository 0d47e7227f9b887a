package io.kubemirror.pairs;

import module java.base;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.WaitLimit;
import io.kubernetes.client.util.ClientBuilder;

import okhttp3.Call;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

import okio.BufferedSink;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

/** One of the addresses of kubemirror, and its client. All that it reads is checked at once. */
final class Door implements AutoCloseable {

    /** The token of the administrator. */
    static final String ADMIN = "test-ground";

    /** The token of a client that may read in the first of the namespaces. */
    static final String LIMITED = "t-limited";

    private static final MediaType JSON = MediaType.get("application/json");

    private final URI url;
    private final OkHttpClient http;
    private final HiddenValues hidden;

    Door(URI url, boolean http2, HiddenValues hidden) {
        this.url = url;
        this.hidden = hidden;
        boolean tls = url.getScheme().equals("https");
        List<Protocol> protocols =
                !http2
                        ? List.of(Protocol.HTTP_1_1)
                        : tls
                                ? List.of(Protocol.HTTP_2, Protocol.HTTP_1_1)
                                : List.of(Protocol.H2_PRIOR_KNOWLEDGE);
        http =
                new ClientBuilder()
                        .setVerifyingSsl(false)
                        .build()
                        .getHttpClient()
                        .newBuilder()
                        .protocols(protocols)
                        .readTimeout(Duration.ofSeconds(60))
                        .build();
    }

    /**
     * A response.
     *
     * @param code the HTTP status code
     * @param headers all header fields as text
     * @param state the header {@code Kubemirror-State}, empty if it is absent
     * @param body the body
     */
    record Answer(int code, String headers, String state, String body) {

        ObjectNode json() {
            return JsonTrees.parse(body);
        }
    }

    Answer get(String target, String... headers) throws IOException {
        return as(ADMIN, target, headers);
    }

    /**
     * Reads with an identity.
     *
     * @param token its token, empty for none
     */
    Answer as(String token, String target, String... headers) throws IOException {
        try (Response response = call(request(token, target, headers).build()).execute()) {
            return checked(target + " " + List.of(headers) + " as '" + token + "'", response);
        }
    }

    /** Writes. */
    Answer write(String method, String target, String type, @Nullable String body)
            throws IOException {
        RequestBody content = body == null ? null : RequestBody.create(body, MediaType.get(type));
        return send(request(ADMIN, target).method(method, content).build());
    }

    /** Writes a body whose length is not announced. */
    Answer writeUnmeasured(String method, String target, String body) throws IOException {
        return send(request(ADMIN, target).method(method, new Unmeasured(body)).build());
    }

    /** Begins to send a body, and leaves. */
    void breakUpload(String target) {
        RequestBody broken =
                new RequestBody() {
                    @Override
                    public MediaType contentType() {
                        return JSON;
                    }

                    @Override
                    public void writeTo(BufferedSink sink) throws IOException {
                        sink.writeUtf8("{").flush();
                        throw new IOException("the client leaves");
                    }
                };
        try (Response _ = call(request(ADMIN, target).method("PUT", broken).build()).execute()) {
            // An early refusal is an answer, too.
        } catch (IOException left) {
            // As intended.
        }
    }

    private Answer send(Request request) throws IOException {
        try (Response response = call(request).execute()) {
            return checked(request.method() + " " + request.url().encodedPath(), response);
        }
    }

    private Answer checked(String where, Response response) throws IOException {
        Answer answer =
                new Answer(
                        response.code(),
                        response.headers().toString(),
                        Objects.requireNonNullElse(response.header("Kubemirror-State"), ""),
                        response.body().string());
        hidden.check(where, answer.state(), answer.headers() + answer.body());
        return answer;
    }

    /** Reads what is answered at some time. */
    Answer patiently(String token, String target, String... headers) throws IOException {
        try (Response response = open(token, target, headers).execute()) {
            return checked("GET " + response.request().url().encodedPath(), response);
        }
    }

    /** A request that is not sent yet, for streams and for clients that leave early. */
    Call open(String token, String target, String... headers) {
        return http.newCall(request(token, target, headers).build());
    }

    /** Checks a line of a stream. */
    void check(String target, Response response, String line) {
        String state = Objects.requireNonNullElse(response.header("Kubemirror-State"), "");
        hidden.check(target, state, line);
    }

    private Call call(Request request) {
        Call call = http.newCall(request);
        // Beyond what any answer may take that has an end.
        call.timeout().timeout(20, TimeUnit.SECONDS);
        return call;
    }

    private Request.Builder request(String token, String target, String... headers) {
        Request.Builder request = new Request.Builder().url(url + target);
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return request;
    }

    /**
     * Leaves: ends all requests, and then all connections. A connection of a request that has not
     * ended yet stays in the pool.
     */
    @Override
    public void close() {
        WaitLimit.until(
                () -> {
                    http.dispatcher().cancelAll();
                    if (http.dispatcher().runningCallsCount() == 0) {
                        http.connectionPool().evictAll();
                    }
                    return http.connectionPool().connectionCount() == 0;
                });
        http.dispatcher().executorService().shutdown();
    }

    /** A body in two parts, without a length. */
    private static final class Unmeasured extends RequestBody {

        private final String body;

        Unmeasured(String body) {
            this.body = body;
        }

        @Override
        public MediaType contentType() {
            return JSON;
        }

        @Override
        public void writeTo(BufferedSink sink) throws IOException {
            sink.writeUtf8(body.substring(0, 1));
            sink.flush();
            sink.writeUtf8(body.substring(1));
        }
    }
}
