package io.kubemirror.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.kube.PassThroughClient.CredentialOwner;
import io.kubemirror.kube.PassThroughClient.PassedRequest;
import io.kubemirror.kube.PassThroughClient.PassedResponse;
import io.kubemirror.kube.ResponseBody.BudgetedInputStream;
import io.kubemirror.kube.ReviewClient.AccessReview;
import io.kubemirror.kube.ReviewClient.ReviewDocument;
import io.kubemirror.kube.ServerConnection.RequestUrl;
import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;
import io.kubemirror.kube.UpstreamSettings.UpstreamException;
import io.kubemirror.kube.json.CollectionFormat;
import io.kubemirror.kube.json.QueuedWatch;
import io.kubemirror.kube.json.TransportFailure;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.Failure.Unreachable.Kind;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.ResourceDefinition;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchStream;

import okhttp3.Call;
import okhttp3.Response;

import org.apache.commons.io.function.IOFunction;

import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Accesses the API server over HTTP, with the address, credentials, and TLS settings of the
 * official Java client.
 *
 * <p>An interrupt ends a blocked call immediately on a virtual thread. On a platform thread,
 * HTTP/1.1 notices it only when the next byte arrives or the read timeout ends.
 */
public class KubeClient implements Source {

    private static final Failure STILL_INITIALIZING =
            Failure.Refused.of(429, "the upstream kubemirror has not discovered its resources yet");

    /** Keeps no member names, because the server chooses them. */
    static final JsonMapper JSON =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
                                    .build())
                    .build();

    /** The maximum size of the version or of a review, more than a hundred times the usual size. */
    private static final int SMALL_DOCUMENT = 1024 * 1024;

    private final RenewableConnection connection;
    private final ClientSettings settings;

    /**
     * Creates a client. No request is sent, but files are read and a credential plugin is run.
     *
     * @throws UpstreamException if the settings are invalid
     */
    public KubeClient(
            UpstreamSettings upstream, ProcessEnvironment environment, ClientSettings settings) {
        this.connection =
                new RenewableConnection(CredentialSource.choose(upstream, environment), settings);
        this.settings = settings;
    }

    /** {@inheritDoc} The API server and the source of the credentials. */
    @Override
    public SourceDescription description() {
        return new SourceDescription(
                connection.toString(), connection.identity(), "kubemirror.upstream");
    }

    @Override
    public boolean acceptsConnections() {
        return connection.isAccepted();
    }

    /**
     * The version of the server.
     *
     * @param gitVersion the version, such as {@code v1.36.4+k3s1}; it changes with every upgrade
     * @param json the unmodified document of {@code /version}
     */
    public record ServerVersion(String gitVersion, String json) {}

    /** Requests the version of the server. */
    public Result<ServerVersion> version() {
        return read(
                server -> server.get(server.url("/version").build(), CollectionFormat.JSON),
                response -> {
                    byte[] json = ResponseBody.of(response).readNBytes(SMALL_DOCUMENT);
                    String version = JSON.readTree(json).path("gitVersion").asString("");
                    return version.isEmpty()
                            ? malformed("the response to /version has no gitVersion")
                            : Result.of(new ServerVersion(version, new String(json, UTF_8)));
                });
    }

    /** {@inheritDoc} Fails for a definition that may not be read, and for an aggregated API. */
    @Override
    public Result<String> schema(ResourceCollection collection) {
        boolean isCustom =
                !collection.type().builtIn() && collection.extent() == Scope.Extent.WHOLE;
        return version()
                .then(
                        server ->
                                isCustom
                                        ? new DiscoveryClient(this::document)
                                                .generation(collection.type())
                                                .then(of -> Result.of(server.gitVersion() + of))
                                        : Result.of(server.gitVersion()));
    }

    @Override
    public Result<TypeLookup> resolve(ResourceName name) {
        return new DiscoveryClient(this::document).resolve(name);
    }

    @Override
    public Result<List<TypeLookup.Found>> types() {
        return new DiscoveryClient(this::document).types();
    }

    @Override
    public Result<ResourceDefinition> definition(ResourceType type) {
        return new DiscoveryClient(this::document).definition(type);
    }

    private Result<JsonNode> document(String path, String accept) {
        return read(server -> server.get(server.url(path).build(), accept), this::document);
    }

    /**
     * Parses the document in a response. Rejects an incomplete document of another kubemirror that
     * has not resolved all types yet, or does not reach its API server, since missing types would
     * be mistaken for types that do not exist.
     */
    private Result<JsonNode> document(Response response) throws IOException {
        String state = response.header("Kubemirror-State");
        if ("initializing".equals(state) || "stale".equals(state)) {
            return Result.failed(STILL_INITIALIZING);
        }
        try (InputStream body = new BudgetedInputStream(ResponseBody.of(response), settings)) {
            return Result.of(JSON.readTree(body));
        }
    }

    @Override
    public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
        String form = CollectionFormat.of(request.collection()).list();
        return read(
                server -> server.get(RequestUrl.of(server, request), form),
                response ->
                        new ListReader(
                                        request.collection(),
                                        ResponseBody.of(response),
                                        settings.objectLimit(),
                                        settings.incoming(),
                                        objects)
                                .read());
    }

    @Override
    public Result<WatchStream> watch(WatchRequest request) {
        String form = CollectionFormat.of(request.collection()).object();
        return connection
                .send(
                        server ->
                                server.stream(
                                        RequestUrl.of(server, request), form, request.silence()),
                        Response::isSuccessful)
                .then(accepted -> Result.of(new HttpWatch(request, accepted, settings)))
                .then(watch -> Result.of(QueuedWatch.of(request, watch, settings.incoming())));
    }

    /**
     * Sends a request of a client, and returns when the head of the response has arrived. No more
     * than a few buffers of a body are in memory at a time. Redirects are not followed, and errors
     * of the server are responses. A read whose connection breaks is repeated, and nothing else.
     *
     * @throws IllegalArgumentException if the request cannot be sent without changing its meaning
     */
    public Result<PassedResponse> pass(PassedRequest request) {
        boolean own = request.credentials() == CredentialOwner.KUBEMIRROR;
        AtomicBoolean sent = new AtomicBoolean();
        return switch (connection.send(
                server -> server.passThrough().call(request, () -> sent.set(true)),
                Call::execute,
                // The credentials of a client are its own concern.
                response -> !own || response.code() != 401)) {
            case Result.Success(var accepted) -> Result.of(PassThroughClient.response(accepted));
            // Whatever has ended it: the end of its client, too.
            case Result.Failed(var failure) when !sent.get() && !failure.isStale() ->
                    Result.failed(new Unreachable(failure.summary(), Kind.REFUSED));
            case Result.Failed(var failure) -> Result.failed(failure);
        };
    }

    /** Determines whether the credentials of this process have a permission. */
    public Result<AccessReview> access(Permission permission) {
        return review(
                ReviewDocument.of(permission),
                settings.readTimeout(),
                status ->
                        status.path("allowed").isBoolean()
                                ? Result.of(ReviewDocument.access(status))
                                : malformed("the access review has no decision"));
    }

    /** Sends a review with the credentials of this process. */
    <T> Result<T> review(
            ReviewDocument review, Duration limit, Function<JsonNode, Result<T>> reader) {
        return read(
                server -> server.post(server.url(review.path()).build(), review.json(), limit),
                response -> reader.apply(reviewStatus(ResponseBody.of(response))));
    }

    /** Reads the status of a review. */
    static JsonNode reviewStatus(InputStream body) throws IOException {
        return JSON.readTree(body.readNBytes(SMALL_DOCUMENT)).path("status");
    }

    /** Sends a request, reads a response with code 2xx, and closes it. */
    private <T> Result<T> read(
            Function<ServerConnection, Call> request, IOFunction<Response, Result<T>> reader) {
        return connection
                .send(request, Response::isSuccessful)
                .then(accepted -> consume(accepted.response(), reader));
    }

    /** Reads a response, and closes it. */
    static <R extends Closeable, T> Result<T> consume(R accepted, IOFunction<R, Result<T>> reader) {
        try (R response = accepted) {
            return reader.apply(response);
        } catch (IOException e) {
            return Result.failed(TransportFailure.of(e));
        } catch (JacksonException e) {
            return Result.failed(TransportFailure.of(e, false));
        }
    }

    private static <T> Result<T> malformed(String reason) {
        return Result.failed(new Failure.Malformed(reason));
    }
}
