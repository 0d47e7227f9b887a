package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.RenewableConnection.AcceptedCall;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.Failure.Unreachable.Kind;
import io.kubemirror.source.Result;

import okhttp3.Call;
import okhttp3.Headers;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

import okio.BufferedSink;
import okio.BufferedSource;
import okio.Okio;
import okio.Socket;

import org.apache.commons.io.input.ProxyInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Passes requests on with OkHttp.
 *
 * <p>Bodies are copied by the calling thread, so a side that is slow to read stops the one that
 * sends.
 */
final class KubePassThrough implements PassThroughApi {

    private static final Set<String> WITHOUT_BODY = Set.of("GET", "HEAD");
    private static final Set<String> WITH_BODY = Set.of("POST", "PUT", "PATCH");

    private final RenewableConnection connection;

    KubePassThrough(RenewableConnection connection) {
        this.connection = connection;
    }

    @Override
    public Result<PassedResponse> pass(PassedRequest request) {
        boolean own = request.credentials() == CredentialOwner.KUBEMIRROR;
        boolean repeatable = request.body() == null || request.body().isRepeatable();
        AtomicBoolean sent = new AtomicBoolean();
        Result<AcceptedCall> result =
                connection.send(
                        server ->
                                server.passThrough(request.credentials())
                                        .call(
                                                builder(request).tag(AtomicBoolean.class, sent),
                                                request.target(),
                                                request.silence()),
                        Call::execute,
                        // A client's own credentials are its own concern.
                        response -> !(own && repeatable && response.code() == 401));
        if (result instanceof Result.Failed(var failure) && !sent.get()) {
            return Result.failed(unsent(failure));
        }
        return result.then(
                accepted ->
                        own && accepted.response().code() == 401
                                ? rejected(accepted.response())
                                : Result.of(new OkResponse(accepted.call(), accepted.response())));
    }

    /** Nothing of the request was sent, whatever has ended it: the end of its client, too. */
    private static Failure unsent(Failure failure) {
        return failure.isStale() ? failure : new Unreachable(failure.summary(), Kind.REFUSED);
    }

    /** Makes the next request use new credentials, since this one cannot be repeated. */
    private Result<PassedResponse> rejected(Response response) {
        if (!connection.renew()) {
            try (response) {
                return Result.failed(new Failure.Refused(StatusReader.read(response)));
            }
        }
        response.close();
        return Result.failed(
                new Failure.Refused(
                        new Status(
                                503,
                                Status.reason(503),
                                "the credentials of kubemirror were renewed, please try again",
                                Status.Details.retryAfter(1)),
                        true));
    }

    private Request.Builder builder(PassedRequest request) {
        Headers.Builder headers = new Headers.Builder();
        // Otherwise OkHttp adds its own name, and decompresses what it has asked for.
        headers.add(PassThroughConnection.USER_AGENT, "").add("Accept-Encoding", "identity");
        request.headers().keySet().forEach(headers::removeAll);
        request.headers()
                .forEach(
                        (name, values) ->
                                values.forEach(value -> headers.addUnsafeNonAscii(name, value)));
        if (request.upgrade() != null) {
            headers.set("Connection", "Upgrade").set("Upgrade", request.upgrade());
        }
        return new Request.Builder()
                .headers(headers.build())
                .method(request.method(), body(request));
    }

    private static @Nullable RequestBody body(PassedRequest request) {
        RequestContent content = request.body();
        if (WITHOUT_BODY.contains(request.method())) {
            return null;
        }
        if (content == null) {
            return WITH_BODY.contains(request.method()) ? RequestBody.EMPTY : null;
        }
        return new OkContent(content);
    }

    /** A body that OkHttp writes. It never repeats one on its own. */
    private static final class OkContent extends RequestBody {

        private final RequestContent content;

        OkContent(RequestContent content) {
            this.content = content;
        }

        /** The type is among the headers. */
        @Override
        public @Nullable MediaType contentType() {
            return null;
        }

        @Override
        public long contentLength() {
            return content.length();
        }

        @Override
        public boolean isOneShot() {
            return true;
        }

        @Override
        public void writeTo(BufferedSink sink) throws IOException {
            content.writeTo(sink.outputStream());
        }
    }

    /** A response of OkHttp. */
    private static final class OkResponse extends ProxyInputStream implements PassedResponse {

        private final Call call;
        private final Response response;
        private final Map<String, List<String>> headers =
                new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        private volatile boolean complete;

        OkResponse(Call call, Response response) {
            super(stream(response));
            this.call = call;
            this.response = response;
            Headers sent = response.headers();
            for (int i = 0; i < sent.size(); i++) {
                headers.computeIfAbsent(sent.name(i), _ -> new ArrayList<>()).add(sent.value(i));
            }
        }

        private static InputStream stream(Response response) {
            // OkHttp would wait for the body whose length the response to a condition tells.
            return response.socket() == null && response.code() != 304
                    ? response.body().byteStream()
                    : InputStream.nullInputStream();
        }

        @Override
        public int code() {
            return response.code();
        }

        @Override
        public Map<String, List<String>> headers() {
            return headers;
        }

        @Override
        public InputStream body() {
            return this;
        }

        @Override
        protected void afterRead(int count) {
            complete |= count < 0;
        }

        @Override
        public @Nullable ByteTunnel tunnel() {
            Socket socket = response.socket();
            return socket == null ? null : new OkTunnel(socket);
        }

        @Override
        public void close() {
            if (!complete) {
                // Otherwise OkHttp would wait for the rest, to use the connection again.
                call.cancel();
            }
            response.close();
        }
    }

    /** A connection that OkHttp has upgraded. */
    private static final class OkTunnel implements ByteTunnel {

        private final Socket socket;
        private final BufferedSource source;
        private final BufferedSink sink;

        OkTunnel(Socket socket) {
            this.socket = socket;
            this.source = Okio.buffer(socket.getSource());
            this.sink = Okio.buffer(socket.getSink());
            // The limits of the request do not apply to what follows it.
            source.timeout().clearTimeout();
            sink.timeout().clearTimeout();
        }

        @Override
        public InputStream input() {
            return source.inputStream();
        }

        @Override
        public OutputStream output() {
            return sink.outputStream();
        }

        @Override
        public void cancel() {
            socket.cancel();
        }
    }
}
