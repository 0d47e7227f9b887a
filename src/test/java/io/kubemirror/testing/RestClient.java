package io.kubemirror.testing;

import module java.base;

import io.kubemirror.model.ResourceType;

import okhttp3.Call;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

/** A plain HTTP client of any API server, close to the wire. */
public final class RestClient {

    private static final MediaType JSON = MediaType.get("application/json");
    private static final MediaType MERGE_PATCH = MediaType.get("application/merge-patch+json");

    /** At one attempt per millisecond, longer than any request of a test occupies a server. */
    private static final int ATTEMPTS = 20_000;

    private final OkHttpClient http;
    private final URI url;
    private final String token;

    public RestClient(OkHttpClient http, URI url) {
        this(
                http.newBuilder()
                        .protocols(List.of(Protocol.HTTP_1_1))
                        .connectTimeout(WaitLimit.GENEROUS)
                        .readTimeout(WaitLimit.GENEROUS)
                        .writeTimeout(WaitLimit.GENEROUS)
                        .build(),
                url,
                "");
    }

    private RestClient(OkHttpClient http, URI url, String token) {
        this.http = http;
        this.url = url;
        this.token = token;
    }

    /** A client without credentials. */
    public static RestClient of(URI url) {
        return new RestClient(new OkHttpClient(), url);
    }

    /** The same client without a read timeout, for watches that may be silent. */
    public RestClient patient() {
        return new RestClient(http.newBuilder().readTimeout(Duration.ZERO).build(), url, token);
    }

    /** The same client with a bearer token. */
    public RestClient withToken(String token) {
        return new RestClient(http, url, token);
    }

    /**
     * A response.
     *
     * @param code the HTTP status code
     * @param headers the header fields, with names in lower case
     * @param body the body
     */
    public record RestResponse(int code, Map<String, List<String>> headers, String body) {

        /** The body as JSON. */
        public ObjectNode json() {
            return JsonTrees.parse(body);
        }

        /** A header field, empty if it is absent. */
        public String header(String name) {
            return String.join(
                    ", ", headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of()));
        }
    }

    /**
     * Gets a path with its query.
     *
     * @throws UncheckedIOException if there is no answer or it breaks off
     */
    public RestResponse get(String target, String... headers) {
        return send(builder(target, headers).build());
    }

    /** Sends a request by any method, without content if there is no body. */
    public RestResponse send(
            String method, String target, @Nullable String body, String... headers) {
        MediaType media = method.equals("PATCH") ? MERGE_PATCH : JSON;
        RequestBody sent = body == null ? null : RequestBody.create(body, media);
        if (sent == null && List.of("POST", "PUT", "PATCH").contains(method)) {
            sent = RequestBody.create(new byte[0]);
        }
        return send(builder(target, headers).method(method, sent).build());
    }

    /** Sends a patch of any type. */
    public RestResponse patch(String target, String type, String patch) {
        RequestBody sent = RequestBody.create(patch, MediaType.get(type));
        return send(builder(target).method("PATCH", sent).build());
    }

    private RestResponse send(Request request) {
        try (Response response = http.newCall(request).execute()) {
            return new RestResponse(
                    response.code(), response.headers().toMultimap(), response.body().string());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Opens a watch.
     *
     * @throws UncheckedIOException if there is no answer
     */
    public WatchReader watch(String target, String... headers) {
        try {
            Call call = http.newCall(builder(target, headers).build());
            return new WatchReader(call, call.execute());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Request.Builder builder(String target, String... headers) {
        Request.Builder request = new Request.Builder().url(url + target);
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return request;
    }

    public ObjectNode create(Manifest manifest) {
        ResourceType type = manifest.type();
        return write(
                "POST", collection(type, manifest.namespace()), JsonTrees.text(manifest.json()));
    }

    public ObjectNode replace(Manifest manifest) {
        String target = object(manifest.type(), manifest.namespace(), manifest.name());
        String revision = Long.toString(JsonTrees.revision(read(target)));
        ObjectNode json = manifest.json();
        json.withObject("metadata").put("resourceVersion", revision);
        return write("PUT", target, JsonTrees.text(json));
    }

    public ObjectNode write(String method, String target, @Nullable String body) {
        return successful(method, target, body).json();
    }

    public ObjectNode read(String target) {
        return successful("GET", target, null).json();
    }

    /** Retries when a server with a small limit on requests answers 429. */
    private RestResponse successful(String method, String target, @Nullable String body) {
        RestResponse reply = send(method, target, body);
        for (int attempt = 1; reply.code() == 429 && attempt < ATTEMPTS; attempt++) {
            reply = send(method, target, body);
        }
        if (reply.code() >= 300) {
            throw new IllegalStateException(method + " " + target + ": " + reply.body());
        }
        return reply;
    }

    static String collection(ResourceType type, String namespace) {
        return namespace.isEmpty() ? type.collectionPath() : type.collectionPath(namespace);
    }

    public static String object(ResourceType type, String namespace, String name) {
        return collection(type, namespace) + "/" + name;
    }
}
