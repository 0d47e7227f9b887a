package io.kubemirror.feature.etcd;

import io.kubemirror.kube.json.ConnectionCheck;
import io.kubemirror.kube.json.MalformedResponseException;
import io.kubemirror.kube.json.PortionTimeout;
import io.kubemirror.kube.json.ResponseTimeout;
import io.kubemirror.kube.json.TransportFailure;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.Result;

import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/**
 * Sends calls to the members of an etcd cluster: to the member that answered last, and to the next
 * ones in order if it does not answer or has no leader. Logs in, and logs in again when the token
 * is refused. May be used from any thread.
 */
final class EtcdTransport {

    /** Detects a member that is gone; etcd allows one ping in five seconds. */
    private static final Duration PING_INTERVAL = Duration.ofSeconds(30);

    private static final String AUTHENTICATE = "/etcdserverpb.Auth/Authenticate";

    private static final int MAX_TOKEN_LENGTH = 64 * 1024;

    /** For a stream, whose silence its reader limits. */
    private static final Duration UNLIMITED = Duration.ofNanos(Long.MAX_VALUE);

    private final EtcdSettings settings;
    private final List<HttpUrl> endpoints;

    /** The member that answered last. Guards no other data. */
    private final AtomicInteger current = new AtomicInteger();

    /** Written under the monitor; a thread that reads an outdated one is refused and renews it. */
    private volatile OkHttpClient http;

    /** The same; null before the first login, empty if etcd needs none. */
    private volatile @Nullable String token;

    EtcdTransport(EtcdSettings settings) {
        this.settings = settings;
        this.endpoints = settings.endpoints().stream().map(HttpUrl::get).toList();
        this.http = client();
        if (settings.user() == null) {
            this.token = "";
        }
    }

    private OkHttpClient client() {
        boolean secure = endpoints.getFirst().isHttps();
        OkHttpClient.Builder builder =
                new OkHttpClient.Builder()
                        .protocols(
                                secure
                                        ? List.of(Protocol.HTTP_2, Protocol.HTTP_1_1)
                                        : List.of(Protocol.H2_PRIOR_KNOWLEDGE))
                        .followRedirects(false)
                        // Connects on the calling thread, so that an interrupt reaches it.
                        .fastFallback(false)
                        .pingInterval(PING_INTERVAL)
                        .connectTimeout(settings.limits().connectTimeout())
                        .readTimeout(settings.limits().readTimeout());
        if (settings.tls() != null) {
            EtcdSettings.TlsMaterial material = settings.tls().get();
            builder.sslSocketFactory(material.sockets(), material.trust());
        }
        return builder.build();
    }

    /**
     * A call to etcd.
     *
     * @param method the path of the method
     * @param message the first message of the request
     * @param stream whether further messages of the request follow
     * @param received receives the number of bytes that arrive
     */
    record CallRequest(
            String method, ProtobufWriter message, boolean stream, LongConsumer received) {

        /** Creates a call with one request, whose bytes are not counted. */
        CallRequest(String method, ProtobufWriter message) {
            this(method, message, /* stream= */ false, _ -> {});
        }
    }

    /** Reads the one message of a response. */
    @FunctionalInterface
    interface MessageParser<T> {
        T read(ProtobufReader message) throws IOException;
    }

    /** Sends a call and reads its one response. */
    <T> Result<T> call(CallRequest request, MessageParser<T> parser) {
        return switch (open(request)) {
            case Result.Success(var call) -> read(call, parser);
            case Result.Failed(var failure) -> Result.failed(failure);
        };
    }

    private static <T> Result<T> read(GrpcCall opened, MessageParser<T> parser) {
        try (GrpcCall call = opened) {
            if (!call.reader().nextMessage()) {
                return Result.failed(call.status().failure());
            }
            T value = parser.read(call.reader());
            if (call.reader().nextMessage()) {
                throw new MalformedResponseException("a response has a second message");
            }
            GrpcStatus status = call.status();
            return status.code() == GrpcStatus.OK
                    ? Result.of(value)
                    : Result.failed(status.failure());
        } catch (IOException e) {
            return Result.failed(TransportFailure.of(e));
        }
    }

    /** Sends a call and waits for the head of the response, with new credentials if necessary. */
    Result<GrpcCall> open(CallRequest request) {
        String used = token;
        if (used == null && login(null) instanceof Result.Failed<String>(var failure)) {
            return Result.failed(failure);
        }
        used = token;
        OkHttpClient client = http;
        Result<GrpcCall> result = atAnyMember(request, client, used);
        return switch (result) {
            case Result.Failed(Failure.Refused refused)
                    when refused.status().code() == 401 && settings.user() != null ->
                    switch (login(used)) {
                        case Result.Success(var renewed) ->
                                afterRenewal(atAnyMember(request, client, renewed));
                        case Result.Failed(var failure) -> Result.failed(failure);
                    };
            case Result.Failed(Unreachable(var _, var kind))
                    when kind == Unreachable.Kind.UNTRUSTED && settings.tls() != null ->
                    switch (renewed(client)) {
                        case Result.Success(var renewed) -> atAnyMember(request, renewed, used);
                        case Result.Failed(var failure) -> Result.failed(failure);
                    };
            case Result.Failed(var _), Result.Success(var _) -> result;
        };
    }

    /** Logs in and sends a call again, after the token was refused inside of its stream. */
    Result<GrpcCall> reopen(CallRequest request) {
        return switch (login(token)) {
            case Result.Success(var renewed) -> afterRenewal(atAnyMember(request, http, renewed));
            case Result.Failed(var failure) -> Result.failed(failure);
        };
    }

    private static Result<GrpcCall> afterRenewal(Result<GrpcCall> result) {
        return result instanceof Result.Failed(Failure.Refused(var status, var _))
                ? Result.failed(new Failure.Refused(status, /* renewed= */ true))
                : result;
    }

    /** Reads the certificates again, which may fail while they are being replaced. */
    private synchronized Result<OkHttpClient> renewed(OkHttpClient stale) {
        try {
            if (http.equals(stale)) {
                http = client();
                stale.connectionPool().evictAll();
            }
            return Result.of(http);
        } catch (UncheckedIOException _) {
            return unreadable("kubemirror.upstream.etcd.ssl-bundle");
        }
    }

    private static <T> Result<T> unreadable(String property) {
        return Result.failed(
                new Unreachable("cannot read " + property, Unreachable.Kind.UNTRUSTED));
    }

    /** Logs in, once for all threads whose token was refused. */
    private synchronized Result<String> login(@Nullable String stale) {
        String known = token;
        if (known != null && !known.equals(stale)) {
            return Result.of(known);
        }
        try {
            ProtobufWriter message =
                    new ProtobufWriter()
                            .text(1, settings.user() == null ? "" : settings.user())
                            .text(2, settings.password().read());
            Result<String> result =
                    switch (atAnyMember(new CallRequest(AUTHENTICATE, message), http, "")) {
                        case Result.Success(var call) -> read(call, EtcdTransport::token);
                        case Result.Failed(var failure) -> Result.failed(failure);
                    };
            return loggedIn(result);
        } catch (IOException _) {
            return unreadable("kubemirror.upstream.etcd.password-file");
        }
    }

    private Result<String> loggedIn(Result<String> result) {
        return switch (result) {
            case Result.Success(var fresh) -> {
                token = fresh;
                yield result;
            }
            case Result.Failed(Failure.Refused(var status, var _))
                    when status.message().contains("authentication is not enabled") -> {
                token = "";
                yield Result.of("");
            }
            case Result.Failed(Failure.Refused(var status, var _)) ->
                    Result.failed(new Failure.Refused(status, /* renewed= */ true));
            case Result.Failed(var _) -> result;
        };
    }

    private static String token(ProtobufReader in) throws IOException {
        String token = "";
        for (int field = in.nextField(); field != 0; field = in.nextField()) {
            if (field == 2) {
                token = in.text(MAX_TOKEN_LENGTH).utf8();
            } else {
                in.skip();
            }
        }
        if (!token.chars().allMatch(character -> character > ' ' && character <= '~')) {
            throw new MalformedResponseException("a token is not printable");
        }
        return token;
    }

    /** Tries one member after the other, beginning with the one that answered last. */
    private Result<GrpcCall> atAnyMember(
            CallRequest request, OkHttpClient client, @Nullable String credential) {
        int first = current.get();
        Result<GrpcCall> result = atMember(first, request, client, credential);
        for (int i = 1; i < endpoints.size() && mayHelpElsewhere(result); i++) {
            int next = (first + i) % endpoints.size();
            result = atMember(next, request, client, credential);
            if (!mayHelpElsewhere(result)) {
                current.compareAndSet(first, next);
            }
        }
        return result;
    }

    private static boolean mayHelpElsewhere(Result<GrpcCall> result) {
        return result instanceof Result.Failed(Unreachable _)
                && !Thread.currentThread().isInterrupted();
    }

    private Result<GrpcCall> atMember(
            int member, CallRequest request, OkHttpClient client, @Nullable String credential) {
        GrpcCall.RequestStream messages =
                new GrpcCall.RequestStream(request.message(), request.stream());
        Request.Builder post =
                new Request.Builder()
                        .url(
                                endpoints
                                        .get(member)
                                        .newBuilder()
                                        .encodedPath(request.method())
                                        .build())
                        .header("te", "trailers")
                        // Refuses the call at once, and ends a watch, if there is no leader.
                        .header("hasleader", "true")
                        .post(messages);
        if (credential != null && !credential.isEmpty()) {
            post.header("token", credential);
        }
        Call call = client.newCall(post.build());
        if (!request.stream()) {
            Duration limit = settings.limits().listTimeout();
            call.timeout().timeout(limit.toNanos(), TimeUnit.NANOSECONDS);
        }
        try {
            Response response =
                    new ResponseTimeout(call, settings.limits().readTimeout()).execute();
            PortionTimeout slowness =
                    new PortionTimeout(request.stream() ? UNLIMITED : drip(), settings.ticker());
            return accepted(
                    new GrpcCall(call, response, messages, request.received(), slowness), response);
        } catch (IOException e) {
            return Result.failed(TransportFailure.of(e));
        }
    }

    private Duration drip() {
        return settings.limits().readTimeout().multipliedBy(2);
    }

    private static Result<GrpcCall> accepted(GrpcCall call, Response response) {
        GrpcStatus status = GrpcStatus.of(response.headers());
        String type = response.header("content-type", "");
        boolean grpc =
                response.code() == 200 && String.valueOf(type).startsWith("application/grpc");
        if (grpc && status == null) {
            return Result.of(call);
        }
        call.close();
        return Result.failed(
                status != null
                        ? status.failure()
                        : new Failure.Malformed(
                                "the server does not answer as etcd (HTTP "
                                        + response.code()
                                        + "); set kubemirror.upstream.etcd.endpoints to the client"
                                        + " URLs of its members"));
    }

    /** Returns whether any member accepts connections. */
    boolean isAccepted() {
        return endpoints.stream().anyMatch(member -> ConnectionCheck.accepts(http, member));
    }

    /** Returns the addresses of the members. */
    @Override
    public String toString() {
        return settings.toString();
    }
}
