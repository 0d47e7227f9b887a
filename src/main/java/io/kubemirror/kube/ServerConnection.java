package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.UpstreamSettings.UpstreamException;
import io.kubemirror.kube.json.CollectionFormat;
import io.kubemirror.kube.json.ConnectionCheck;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.Revision;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.ListRequest.RevisionMatch;
import io.kubemirror.source.Source.WatchRequest;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;

import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;

import org.jspecify.annotations.Nullable;

import java.security.cert.Certificate;

/**
 * A connection to an API server: an address, an HTTP client with the right trust settings, and
 * credentials.
 *
 * <p>Only the configuration of the official client is used. Its generated calls read whole bodies
 * into models, which would lose unknown fields and need many times the memory.
 */
final class ServerConnection {

    private static final MediaType JSON = MediaType.get(CollectionFormat.JSON);

    /** Less than the 90 s after which the API server closes an idle connection. */
    private static final Duration IDLE = Duration.ofSeconds(60);

    private static final int MAX_IDLE = 32;

    private final HttpUrl base;
    private final OkHttpClient http;
    private final Headers headers;

    private final PassThroughClient passThrough;

    /**
     * Creates a connection.
     *
     * @param client trusts the server, and has the credentials that are no header
     * @param authorization the value of the header, null for none
     * @throws UpstreamException if the credentials cannot be sent
     */
    ServerConnection(
            HttpUrl url,
            OkHttpClient client,
            @Nullable String authorization,
            ClientSettings settings) {
        this.base = url.newBuilder().username("").password("").build();
        this.http = settings.applyTo(client.newBuilder()).connectionPool(pool()).build();
        this.headers = headers(authorization, settings);
        this.passThrough = new PassThroughClient(base, http, headers, System::nanoTime);
    }

    private static ConnectionPool pool() {
        return new ConnectionPool(MAX_IDLE, IDLE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Creates a connection from a client of the official library. */
    static ServerConnection of(HttpUrl url, ApiClient client, ClientSettings settings) {
        Map<String, String> headers = new HashMap<>();
        try {
            client.getAuthentication("BearerToken")
                    .applyToParams(List.of(), headers, Map.of(), "", "GET", null);
        } catch (ApiException e) {
            throw new IllegalStateException("an API key is no request", e);
        }
        return new ServerConnection(
                url, client.getHttpClient(), headers.get("authorization"), settings);
    }

    private static Headers headers(@Nullable String authorization, ClientSettings settings) {
        try {
            Headers.Builder headers = new Headers.Builder().add("User-Agent", settings.userAgent());
            if (authorization != null) {
                headers.add("Authorization", authorization);
            }
            return headers.build();
        } catch (IllegalArgumentException _) {
            throw new UpstreamException(
                    "kubeconfig",
                    "the token contains characters that are not allowed in an HTTP header");
        }
    }

    /** Returns the URL of an API path. The server URL may have a path prefix. */
    HttpUrl.Builder url(String path) {
        return base.newBuilder().addPathSegments(path.substring(1));
    }

    /** Creates a GET of JSON, uncompressed or with gzip, with the default timeouts. */
    Call get(HttpUrl url, String accept) {
        return http.newCall(request(url, accept, "gzip"));
    }

    /** Creates a POST of JSON with a limit for the complete call. */
    Call post(HttpUrl url, String json, Duration limit) {
        Request.Builder request = request(url, CollectionFormat.JSON, "gzip").newBuilder();
        Call call = http.newCall(request.post(RequestBody.create(json, JSON)).build());
        call.timeout().timeout(limit.toNanos(), TimeUnit.NANOSECONDS);
        return call;
    }

    /** Creates a GET of a JSON stream, which fails when no byte arrives for the given time. */
    Call stream(HttpUrl url, String accept, Duration silence) {
        OkHttpClient patient = http.newBuilder().readTimeout(silence).build();
        return patient.newCall(request(url, accept, "identity"));
    }

    private Request request(HttpUrl url, String accept, String encoding) {
        return new Request.Builder()
                .url(url)
                .headers(headers)
                .header("Accept", accept)
                .header("Accept-Encoding", encoding)
                .build();
    }

    /** Returns what sends requests of clients. */
    PassThroughClient passThrough() {
        return passThrough;
    }

    /**
     * Returns whether the server accepts a connection and keeps it open, without sending data.
     *
     * <p>Rejected: a request to {@code /livez}, which costs the server a handshake and may require
     * permissions.
     */
    boolean isAccepted() {
        return ConnectionCheck.accepts(http, base);
    }

    /** Closes idle connections. Running requests continue. */
    void retire() {
        http.connectionPool().evictAll();
    }

    /**
     * Returns the server URL, and a hash of the authorities that may certify the server. Many
     * clusters have the same address inside, but each has an authority of its own.
     */
    String identity() {
        X509TrustManager trust = http.x509TrustManager();
        return !base.isHttps() || trust == null
                ? toString()
                : this
                        + " "
                        + Arrays.stream(trust.getAcceptedIssuers())
                                .mapToInt(Certificate::hashCode)
                                .sum();
    }

    /** Returns the server URL without user, password, and query. */
    @Override
    public String toString() {
        return base.newBuilder().query(null).fragment(null).build().toString();
    }

    /** The URL of a request for objects. */
    static final class RequestUrl {

        private RequestUrl() {}

        static HttpUrl of(ServerConnection server, ListRequest request) {
            HttpUrl.Builder url = collection(server, request.collection());
            add(url, "resourceVersion", digits(request.revision()));
            add(url, "resourceVersionMatch", request.match() == RevisionMatch.EXACT ? "Exact" : "");
            add(url, "limit", request.limit() > 0 ? Integer.toString(request.limit()) : "");
            add(url, "continue", request.continueToken() == null ? "" : request.continueToken());
            return url.build();
        }

        static HttpUrl of(ServerConnection server, WatchRequest request) {
            HttpUrl.Builder url = collection(server, request.collection());
            add(url, "watch", "true");
            add(url, "allowWatchBookmarks", request.bookmarks() ? "true" : "");
            add(url, "timeoutSeconds", Long.toString(request.timeout().toSeconds()));
            add(url, "resourceVersion", digits(request.revision()));
            add(url, "sendInitialEvents", request.initialEvents() ? "true" : "");
            add(url, "resourceVersionMatch", request.initialEvents() ? "NotOlderThan" : "");
            return url.build();
        }

        private static HttpUrl.Builder collection(
                ServerConnection server, ResourceCollection collection) {
            HttpUrl.Builder url = server.url(collection.path());
            LabelSelector labels = collection.selection().labels();
            FieldSelector fields = collection.selection().fields();
            add(url, "labelSelector", labels.isEverything() ? "" : labels.text());
            add(url, "fieldSelector", fields.isEverything() ? "" : fields.text());
            return url;
        }

        private static String digits(@Nullable Revision revision) {
            return revision == null ? "" : revision.digits();
        }

        /** Adds a parameter, unless it is empty. */
        private static void add(HttpUrl.Builder url, String name, String value) {
            if (!value.isEmpty()) {
                url.addQueryParameter(name, value);
            }
        }
    }
}
