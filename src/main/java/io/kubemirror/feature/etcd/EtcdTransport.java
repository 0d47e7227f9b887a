package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.feature.etcd.EtcdClient.EtcdSettings;
import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.kubemirror.feature.etcd.GrpcCall.ReadLimits;
import io.kubemirror.kube.json.ConnectionCheck;
import io.kubemirror.kube.json.ResponseTimeout;
import io.kubemirror.kube.json.ResponseTimeout.PortionTimeout;
import io.kubemirror.kube.json.TransportFailure.MalformedResponseException;
import io.kubemirror.model.Revision;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Refused;
import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.Failure.Unreachable.Kind;

import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;

import org.apache.commons.io.function.IOFunction;
import org.jspecify.annotations.Nullable;

/**
 * Sends calls to the members of an etcd cluster: to the member that answered last, and to the next
 * ones in order if it does not answer as etcd or has no leader. Logs in, and logs in again when the
 * token is refused. May be used from any thread.
 */
final class EtcdTransport {

    /** Detects a member that is gone; etcd allows one ping in five seconds. */
    private static final Duration PING_INTERVAL = Duration.ofSeconds(30);

    private static final String AUTHENTICATE = "/etcdserverpb.Auth/Authenticate";

    /** What a message has beside an object and its previous state. */
    private static final int OVERHEAD = 1 << 20;

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
                settings.limits()
                        .applyTo(new OkHttpClient.Builder())
                        .protocols(
                                secure
                                        ? List.of(Protocol.HTTP_2, Protocol.HTTP_1_1)
                                        : List.of(Protocol.H2_PRIOR_KNOWLEDGE))
                        .pingInterval(PING_INTERVAL);
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

    /**
     * The header of every response of etcd.
     *
     * @param cluster the id of the cluster
     * @param revision the revision of the store when the response was made
     */
    record ResponseHeader(long cluster, Revision revision) {

        static final ResponseHeader NONE = new ResponseHeader(0, Revision.ZERO);

        /** The number of the field in all messages. */
        static final int FIELD = 1;

        /** Reads the header that is the reader's current field. */
        static ResponseHeader read(ProtobufReader in) throws IOException {
            ProtobufReader header = in.message();
            long cluster = 0;
            Revision revision = Revision.ZERO;
            for (int field = header.next(); field != 0; field = header.next()) {
                switch (field) {
                    case 1 -> cluster = header.number();
                    case 3 -> revision = header.revision();
                    default -> {}
                }
            }
            return new ResponseHeader(cluster, revision);
        }
    }

    /** Sends a call and reads its one response. */
    <T> T call(CallRequest request, IOFunction<ProtobufReader, T> parser) throws IOException {
        return open(request, opened -> read(opened, parser));
    }

    private static <T> T read(GrpcCall opened, IOFunction<ProtobufReader, T> parser)
            throws IOException {
        try (GrpcCall call = opened) {
            T value = call.message(parser);
            boolean more = call.read(Objects::nonNull);
            ProtobufReader.require(!more, "a response has a second message");
            return value;
        }
    }

    /**
     * Sends a call and waits for the head of the response. With new credentials if the present ones
     * are refused, by the head or by what is read of the response.
     */
    <T> T open(CallRequest request, IOFunction<GrpcCall, T> reader) throws IOException {
        OkHttpClient client = http;
        String used = token;
        try {
            used = used == null ? login(null) : used;
            return reader.apply(atAnyMember(request, client, used));
        } catch (IOException e) {
            Failure failure = EtcdException.failure(e);
            if (!failure.isStale()) {
                throw e;
            }
            if (failure instanceof Unreachable && settings.tls() != null) {
                OkHttpClient fresh = renewed(client);
                return reader.apply(atAnyMember(request, fresh, used == null ? login(null) : used));
            }
            if (failure instanceof Refused && settings.user() != null) {
                return reopen(request, login(used), reader);
            }
            throw e;
        }
    }

    private <T> T reopen(CallRequest request, String fresh, IOFunction<GrpcCall, T> reader)
            throws IOException {
        try {
            return reader.apply(atAnyMember(request, http, fresh));
        } catch (EtcdException e) {
            throw e.afterRenewal();
        }
    }

    /** Reads the certificates again, which may fail while they are being replaced. */
    private synchronized OkHttpClient renewed(OkHttpClient stale) throws IOException {
        try {
            if (http.equals(stale)) {
                http = client();
                stale.connectionPool().evictAll();
            }
            return http;
        } catch (UncheckedIOException _) {
            throw unreadable("ssl-bundle");
        }
    }

    private static EtcdException unreadable(String property) {
        return new EtcdException(
                new Unreachable(
                        "cannot read kubemirror.upstream.etcd." + property, Kind.UNTRUSTED));
    }

    /** Logs in, once for all threads whose token was refused. */
    private synchronized String login(@Nullable String stale) throws IOException {
        String known = token;
        if (known != null && !known.equals(stale)) {
            return known;
        }
        ProtobufWriter message =
                new ProtobufWriter().text(1, String.valueOf(settings.user())).text(2, password());
        String fresh;
        try {
            CallRequest request = new CallRequest(AUTHENTICATE, message);
            fresh = read(atAnyMember(request, http, ""), EtcdTransport::token);
        } catch (EtcdException e) {
            if (!e.isWithoutAuthentication()) {
                throw e.afterRenewal();
            }
            fresh = "";
        }
        token = fresh;
        return fresh;
    }

    private String password() throws IOException {
        try {
            return settings.password().get();
        } catch (IOException _) {
            throw unreadable("password-file");
        }
    }

    private static String token(ProtobufReader in) throws IOException {
        String token = in.text(2);
        if (!token.chars().allMatch(character -> character > ' ' && character <= '~')) {
            throw new MalformedResponseException("a token is not printable");
        }
        return token;
    }

    /** Tries one member after the other, beginning with the one that answered last. */
    private GrpcCall atAnyMember(CallRequest request, OkHttpClient client, String credential)
            throws IOException {
        int first = current.get();
        for (int tried = 1; ; tried++) {
            int member = (first + tried - 1) % endpoints.size();
            try {
                GrpcCall call = atMember(endpoints.get(member), request, client, credential);
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

    private GrpcCall atMember(
            HttpUrl member, CallRequest request, OkHttpClient client, String credential)
            throws IOException {
        GrpcCall.RequestStream messages =
                new GrpcCall.RequestStream(request.message(), request.stream());
        Request.Builder post =
                new Request.Builder()
                        .url(member.newBuilder().encodedPath(request.method()).build())
                        .header("te", "trailers")
                        // Refuses the call at once, and ends a watch, if there is no leader.
                        .header("hasleader", "true")
                        .post(messages);
        if (!credential.isEmpty()) {
            post.header("token", credential);
        }
        Call call = client.newCall(post.build());
        Duration patience = settings.limits().readTimeout();
        if (!request.stream()) {
            Duration limit = settings.limits().listTimeout();
            call.timeout().timeout(limit.toNanos(), TimeUnit.NANOSECONDS);
        }
        Duration drip = request.stream() ? UNLIMITED : patience.multipliedBy(2);
        GrpcCall opened =
                new GrpcCall(
                        call,
                        new ResponseTimeout(call, patience).execute(),
                        messages,
                        new ReadLimits(
                                2L * settings.limits().objectLimit() + OVERHEAD,
                                settings.limits().incoming(),
                                request.received(),
                                new PortionTimeout(drip, settings.ticker())));
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
