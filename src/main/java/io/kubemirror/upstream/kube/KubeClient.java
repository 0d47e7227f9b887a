package io.kubemirror.upstream.kube;

import io.kubemirror.model.Identity;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Selection;
import io.kubemirror.model.Status;
import io.kubemirror.upstream.BearerToken;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.Failure.Unreachable.Kind;
import io.kubemirror.upstream.ForwardRequest;
import io.kubemirror.upstream.ForwardResponse;
import io.kubemirror.upstream.ListPage;
import io.kubemirror.upstream.ListRequest;
import io.kubemirror.upstream.ResourceCollection;
import io.kubemirror.upstream.ResourceDefinition;
import io.kubemirror.upstream.Result;
import io.kubemirror.upstream.ReviewApi;
import io.kubemirror.upstream.ReviewApi.AccessReview;
import io.kubemirror.upstream.RevisionMatch;
import io.kubemirror.upstream.UpstreamApi;
import io.kubemirror.upstream.UpstreamApi.ServerVersion;
import io.kubemirror.upstream.UpstreamApi.TypeLookup;
import io.kubemirror.upstream.WatchConnection;
import io.kubemirror.upstream.WatchRequest;
import io.kubernetes.client.util.exception.TokenAquisitionException;

import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.Response;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Predicate;

/**
 * Accesses the API server over HTTP, with the address, credentials, and TLS settings of the
 * official Java client.
 *
 * <p>An interrupt ends a blocked call immediately on a virtual thread. On a platform thread,
 * HTTP/1.1 notices it only when the next byte arrives or the read timeout ends.
 *
 * <p>When the server answers 401 or TLS fails, the client reconnects with fresh credentials and
 * certificates and repeats the request once.
 */
public final class KubeClient implements UpstreamApi, ReviewApi {

    private static final Failure STILL_INITIALIZING =
            new Failure.Refused(
                    new Status(
                            429,
                            "TooManyRequests",
                            "the kubemirror upstream does not know its resources yet",
                            null));

    /** The maximum length of a warning. The API server truncates its own warnings to much less. */
    private static final int LONGEST_WARNING = 1_024;

    private static final int MOST_WARNINGS = 10;

    private final RenewableConnection connection;
    private final ClientSettings settings;
    private final LongConsumer received;
    private final Consumer<List<String>> warnings;

    private KubeClient(
            RenewableConnection connection,
            ClientSettings settings,
            LongConsumer received,
            Consumer<List<String>> warnings) {
        this.connection = connection;
        this.settings = settings;
        this.received = received;
        this.warnings = warnings;
    }

    /**
     * Creates a client. No request is sent, but files are read and a credential plugin is run.
     *
     * @throws UpstreamException if the settings are invalid
     */
    public static KubeClient connect(
            UpstreamSettings upstream, ProcessEnvironment environment, ClientSettings settings) {
        RenewableConnection connection =
                new RenewableConnection(CredentialSource.choose(upstream, environment), settings);
        return new KubeClient(connection, settings, _ -> {}, _ -> {});
    }

    /** Describes the API server and the source of the credentials for logs, without any secret. */
    public String upstream() {
        return connection.toString();
    }

    @Override
    public UpstreamApi counting(LongConsumer received) {
        return new KubeClient(connection, settings, received, warnings);
    }

    @Override
    public UpstreamApi warning(Consumer<List<String>> listener) {
        return new KubeClient(connection, settings, received, listener);
    }

    /**
     * Reports warnings with the code of the API server. Clients do not understand other warnings.
     */
    private void warn(Response response) {
        warnings.accept(
                response.headers("Warning").stream()
                        .filter(warning -> warning.startsWith("299 "))
                        .filter(warning -> warning.length() <= LONGEST_WARNING)
                        .limit(MOST_WARNINGS)
                        .toList());
    }

    @Override
    public boolean acceptsConnections() {
        return connection.connection().isAccepted();
    }

    @Override
    public Result<ServerVersion> version() {
        return switch (send(
                server -> server.get(server.url("/version").build(), CollectionFormat.JSON))) {
            case ExchangeResult.Accepted(var _, var response) -> VersionReader.read(response);
            case ExchangeResult.Rejected(var failure, var _) -> Result.failed(failure);
        };
    }

    @Override
    public Result<TypeLookup> resolve(ResourceName name) {
        return new DiscoveryClient(this::document).resolve(name);
    }

    @Override
    public Result<ResourceDefinition> columns(ResourceType type) {
        try {
            JsonNode definition = document(DefinitionReader.path(type), "application/json");
            return Result.of(
                    new ResourceDefinition(
                            DefinitionReader.columns(definition, type.version()),
                            DefinitionReader.selectable(definition, type.version())));
        } catch (DiscoveryException e) {
            return Result.failed(e.failure());
        }
    }

    @Override
    public Result<AccessReview> access(Permission permission) {
        String review = SelfSubjectAccessReview.of(permission);
        return switch (send(
                server -> server.post(server.url(SelfSubjectAccessReview.PATH).build(), review))) {
            case ExchangeResult.Accepted(var _, var response) ->
                    SelfSubjectAccessReview.read(response);
            case ExchangeResult.Rejected(var failure, var _) -> Result.failed(failure);
        };
    }

    private JsonNode document(String path, String accept) throws DiscoveryException {
        return switch (send(server -> server.get(server.url(path).build(), accept))) {
            case ExchangeResult.Accepted(var _, var response) -> document(response);
            case ExchangeResult.Rejected(var failure, var _) ->
                    throw new DiscoveryException(failure);
        };
    }

    /**
     * Parses the document in a response. Rejects an incomplete document of another kubemirror that
     * has not resolved all types yet, since missing types would be mistaken for types that do not
     * exist.
     */
    private JsonNode document(Response response) throws DiscoveryException {
        try (response;
                InputStream body = new BudgetedInputStream(ResponseBody.of(response), settings)) {
            if ("initializing".equals(response.header("Kubemirror-State"))) {
                throw new DiscoveryException(STILL_INITIALIZING);
            }
            return JsonMapper.shared().readTree(body);
        } catch (IOException e) {
            throw new DiscoveryException(TransportFailure.of(e).failure());
        } catch (JacksonException e) {
            throw new DiscoveryException(TransportFailure.of(e, false).failure());
        }
    }

    @Override
    public Result<ListPage> list(ListRequest request, Consumer<KubeObject> objects) {
        String form = CollectionFormat.of(request.collection()).list();
        return switch (send(server -> server.get(url(server, request), form))) {
            case ExchangeResult.Accepted(var _, var response) -> {
                warn(response);
                yield read(request, response, objects);
            }
            case ExchangeResult.Rejected(var failure, var _) -> Result.failed(failure);
        };
    }

    private Result<ListPage> read(
            ListRequest request, Response response, Consumer<KubeObject> objects) {
        try (response) {
            return new ListReader(
                            request.collection(),
                            ResponseBody.of(response, received),
                            settings.objectLimit(),
                            settings.incoming(),
                            objects)
                    .read();
        } catch (IOException e) {
            return Result.failed(TransportFailure.of(e).failure());
        }
    }

    @Override
    public Result<WatchConnection> watch(WatchRequest request) {
        String form = CollectionFormat.of(request.collection()).object();
        return switch (send(
                server -> server.stream(url(server, request), form, request.silence()))) {
            case ExchangeResult.Accepted(var call, var response) -> {
                warn(response);
                yield Result.of(new HttpWatch(request, call, response, settings, received));
            }
            case ExchangeResult.Rejected(var failure, var _) -> Result.failed(failure);
        };
    }

    @Override
    public Result<ForwardResponse> forward(ForwardRequest request) {
        Function<ServerConnection, Call> call =
                server -> server.get(url(server, request), request.accept());
        return switch (send(call, KubeClient::isForClients)) {
            case ExchangeResult.Accepted(var _, var response) -> answered(response);
            case ExchangeResult.Rejected(var failure, var _) -> Result.failed(failure);
        };
    }

    /**
     * Returns whether a response concerns the request itself rather than the connection to the
     * server.
     */
    private static boolean isForClients(Response response) {
        return response.code() != 401 && !response.isRedirect();
    }

    private static Result<ForwardResponse> answered(Response response) {
        Map<String, String> headers = new TreeMap<>();
        for (String name : List.of("Retry-After", "Warning")) {
            response.headers(name)
                    .forEach(value -> headers.merge(name, value, (a, b) -> a + ", " + b));
        }
        try {
            return Result.of(
                    new ForwardResponse(
                            response.code(),
                            String.valueOf(response.header("Content-Type", "")),
                            headers,
                            ResponseBody.of(response)));
        } catch (IOException e) {
            response.close();
            return Result.failed(TransportFailure.of(e).failure());
        }
    }

    @Override
    public Result<Optional<Identity>> identify(TokenQuestion question) {
        BearerToken token = question.token();
        return switch (review(ReviewDocument.TOKENS, ReviewDocument.of(token), question.limit())) {
            case ExchangeResult.Accepted(var _, var response) ->
                    ReviewDocument.token(response, token.audiences());
            case ExchangeResult.Rejected(var failure, var _) -> Result.failed(failure);
        };
    }

    @Override
    public Result<AccessReview> review(AccessQuestion question) {
        String document = ReviewDocument.of(question.identity(), question.intent());
        return switch (review(ReviewDocument.ACCESS, document, question.limit())) {
            case ExchangeResult.Accepted(var _, var response) -> ReviewDocument.access(response);
            case ExchangeResult.Rejected(var failure, var _) -> Result.failed(failure);
        };
    }

    private ExchangeResult review(String path, String document, Duration limit) {
        return send(server -> server.post(server.url(path).build(), document, limit));
    }

    private static HttpUrl url(ServerConnection server, ForwardRequest request) {
        HttpUrl.Builder url = server.url(request.segments());
        new TreeMap<>(request.parameters()).forEach(url::addQueryParameter);
        return url.build();
    }

    private static HttpUrl url(ServerConnection server, ListRequest request) {
        HttpUrl.Builder url = url(server, request.collection());
        if (request.revision() != null) {
            url.addQueryParameter("resourceVersion", request.revision().digits());
        }
        if (request.match() == RevisionMatch.EXACT) {
            url.addQueryParameter("resourceVersionMatch", "Exact");
        }
        if (request.limit() > 0) {
            url.addQueryParameter("limit", Integer.toString(request.limit()));
        }
        if (request.continueToken() != null) {
            url.addQueryParameter("continue", request.continueToken());
        }
        return url.build();
    }

    private static HttpUrl url(ServerConnection server, WatchRequest request) {
        HttpUrl.Builder url = url(server, request.collection());
        url.addQueryParameter("watch", "true");
        url.addQueryParameter("allowWatchBookmarks", "true");
        url.addQueryParameter("timeoutSeconds", Long.toString(request.timeout().toSeconds()));
        if (request.revision() != null) {
            url.addQueryParameter("resourceVersion", request.revision().digits());
        }
        if (request.initialEvents()) {
            url.addQueryParameter("sendInitialEvents", "true");
            url.addQueryParameter("resourceVersionMatch", "NotOlderThan");
        }
        return url.build();
    }

    private static HttpUrl.Builder url(ServerConnection server, ResourceCollection collection) {
        HttpUrl.Builder url = server.url(collection.path());
        Selection selection = collection.selection();
        if (!selection.labels().isEverything()) {
            url.addQueryParameter("labelSelector", selection.labels().text());
        }
        if (!selection.fields().isEverything()) {
            url.addQueryParameter("fieldSelector", selection.fields().text());
        }
        return url;
    }

    private ExchangeResult send(Function<ServerConnection, Call> request) {
        return send(request, Response::isSuccessful);
    }

    private ExchangeResult send(
            Function<ServerConnection, Call> request, Predicate<Response> accepted) {
        ServerConnection first = connection.connection();
        ExchangeResult answer = sendOnce(first, request, accepted);
        if (!connection.renews()
                || !(answer instanceof ExchangeResult.Rejected rejected)
                || !rejected.stale()) {
            return answer;
        }
        try {
            return sendOnce(connection.renew(first), request, accepted).afterRenewal();
        } catch (UpstreamException e) {
            return new ExchangeResult.Rejected(
                    new Failure.Unreachable(String.valueOf(e.getMessage()), Kind.UNTRUSTED), false);
        }
    }

    private ExchangeResult sendOnce(
            ServerConnection server,
            Function<ServerConnection, Call> request,
            Predicate<Response> accepted) {
        Call call = request.apply(server);
        try {
            Response response = new ResponseTimeout(call, settings.readTimeout()).execute();
            if (accepted.test(response)) {
                return new ExchangeResult.Accepted(call, response);
            }
            try (response) {
                Failure refused = new Failure.Refused(StatusReader.read(response));
                return new ExchangeResult.Rejected(refused, response.code() == 401);
            }
        } catch (IOException e) {
            TransportFailure breakage = TransportFailure.of(e);
            boolean untrusted = breakage.kind() == TransportFailure.FailureKind.UNTRUSTED;
            return new ExchangeResult.Rejected(breakage.failure(), untrusted);
        } catch (TokenAquisitionException _) {
            String reason = "the token file cannot be read";
            return new ExchangeResult.Rejected(
                    new Failure.Unreachable(reason, Kind.UNTRUSTED), false);
        }
    }

    /** The result of a request up to the body of its response. */
    private sealed interface ExchangeResult {

        /** A 2xx response; the reader closes it. */
        record Accepted(Call call, Response response) implements ExchangeResult {}

        /**
         * A failed request.
         *
         * @param failure the failure to report
         * @param stale whether different credentials or certificates may help
         */
        record Rejected(Failure failure, boolean stale) implements ExchangeResult {}

        /** Returns this result, marked as obtained with renewed credentials. */
        default ExchangeResult afterRenewal() {
            return this instanceof Rejected(Failure.Refused(var status, var _), var stale)
                    ? new Rejected(new Failure.Refused(status, /* renewed= */ true), stale)
                    : this;
        }
    }
}
