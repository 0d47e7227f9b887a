package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.feature.etcd.EtcdClient.EtcdSettings;
import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.kubemirror.feature.etcd.GrpcCall.RequestStream;
import io.kubemirror.kube.ClientSettings;
import io.kubemirror.kube.json.ConnectionCheck;
import io.kubemirror.kube.json.ResponseTimeout;
import io.kubemirror.source.Failure.Refused;

import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;

import org.apache.commons.io.function.IOFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/**
 * Sends calls to the members of an etcd cluster: to the member that answered last, and to the next
 * ones in order if it does not answer as etcd or has no leader. May be used from any thread.
 */
final class EtcdTransport {

    private static final String RANGE = "/etcdserverpb.KV/Range";
    private static final String WATCH = "/etcdserverpb.Watch/Watch";

    /** Detects a member that is gone; etcd allows one ping in five seconds. */
    private static final Duration PING_INTERVAL = Duration.ofSeconds(30);

    /** A range takes at most so many times the read timeout, however slowly it arrives. */
    private static final int PATIENCE = 4;

    private final EtcdSettings settings;
    private final List<HttpUrl> endpoints;

    /** The member that answered last. Guards no other data. */
    private final AtomicInteger current = new AtomicInteger();

    private volatile OkHttpClient http;

    EtcdTransport(EtcdSettings settings) {
        this.settings = settings;
        this.endpoints = settings.endpoints().stream().map(HttpUrl::get).toList();
        this.http = client(settings.tls());
    }

    private OkHttpClient client(@Nullable SslBundle bundle) {
        boolean secure = endpoints.getFirst().isHttps();
        OkHttpClient.Builder builder =
                settings.limits()
                        .applyTo(new OkHttpClient.Builder())
                        .protocols(
                                secure
                                        ? List.of(Protocol.HTTP_2, Protocol.HTTP_1_1)
                                        : List.of(Protocol.H2_PRIOR_KNOWLEDGE))
                        .pingInterval(PING_INTERVAL);
        if (bundle != null) {
            X509TrustManager trust =
                    Arrays.stream(bundle.getManagers().getTrustManagers())
                            .filter(X509TrustManager.class::isInstance)
                            .map(X509TrustManager.class::cast)
                            .findFirst()
                            .orElseThrow();
            builder.sslSocketFactory(bundle.createSslContext().getSocketFactory(), trust);
        }
        return builder.build();
    }

    /** Uses other certificates for new connections; running calls continue. */
    void renew(SslBundle bundle) {
        OkHttpClient stale = http;
        http = client(bundle);
        stale.connectionPool().evictAll();
    }

    /** Requests a range and reads the response. */
    <T> T range(ProtobufWriter request, IOFunction<ProtobufMessage, T> parser) throws IOException {
        return read(atAnyMember(() -> new RequestStream(request, false)), parser);
    }

    /** Opens a watch, and reads the beginning of its response. */
    <T> T watch(ProtobufWriter request, IOFunction<GrpcCall, T> reader) throws IOException {
        return reader.apply(atAnyMember(() -> new RequestStream(request, true)));
    }

    private static <T> T read(GrpcCall opened, IOFunction<ProtobufMessage, T> parser)
            throws IOException {
        try (GrpcCall call = opened) {
            T value = call.message(parser);
            boolean more = call.read(Objects::nonNull);
            ProtobufMessage.require(!more, "a response has a second message");
            return value;
        }
    }

    /** Tries one member after the other, beginning with the one that answered last. */
    private GrpcCall atAnyMember(Supplier<RequestStream> request) throws IOException {
        int first = current.get();
        for (int tried = 1; ; tried++) {
            int member = (first + tried - 1) % endpoints.size();
            try {
                GrpcCall call = atMember(endpoints.get(member), request.get());
                current.compareAndSet(first, member);
                return call;
            } catch (IOException e) {
                // Something else than a member may answer in its place, such as a load balancer.
                if (EtcdException.failure(e) instanceof Refused
                        || tried == endpoints.size()
                        || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
            }
        }
    }

    private static Request post(HttpUrl member, RequestStream messages) {
        String method = messages.isDuplex() ? WATCH : RANGE;
        return new Request.Builder()
                .url(member.newBuilder().encodedPath(method).build())
                .header("te", "trailers")
                // Refuses the call at once, and ends a watch, if there is no leader.
                .header("hasleader", "true")
                .post(messages)
                .build();
    }

    private GrpcCall atMember(HttpUrl member, RequestStream messages) throws IOException {
        Call call = http.newCall(post(member, messages));
        ClientSettings limits = settings.limits();
        if (!messages.isDuplex()) {
            call.timeout().timeout(PATIENCE * limits.readTimeout().toNanos(), TimeUnit.NANOSECONDS);
        }
        Response response = new ResponseTimeout(call, limits.readTimeout()).execute();
        GrpcCall opened = new GrpcCall(call, response, messages, limits);
        try {
            opened.requireAccepted();
            return opened;
        } catch (IOException e) {
            opened.close();
            throw e;
        }
    }

    /** Returns whether any member accepts connections. */
    boolean isAccepted() {
        return endpoints.stream().anyMatch(member -> ConnectionCheck.accepts(http, member));
    }
}
