package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.ListArrangement;
import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.DiscoveryEndpoints;
import io.kubemirror.api.read.Floors;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.read.ReadPlanner.OnDemandTypes;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.api.server.AuthenticationFilter;
import io.kubemirror.api.server.PermissionReader;
import io.kubemirror.api.server.RequestHandler;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.app.MirrorProperties;
import io.kubemirror.app.PassThroughProperties.Mode;
import io.kubemirror.feature.forward.PassedExchange.Answerer;
import io.kubemirror.kube.ClientSettings;
import io.kubemirror.kube.KubeClient;
import io.kubemirror.kube.PassThroughClient.CredentialOwner;
import io.kubemirror.model.Names;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Source;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Passes requests that kubemirror does not answer itself on to the API server, if the operator has
 * enabled it (pass-through.md).
 */
@Component
@Order(PassThrough.FIRST)
record PassThrough(
        MirrorProperties properties,
        MirrorDirectory directory,
        OnDemandTypes onDemand,
        DiscoveryEndpoints discovery,
        Services services)
        implements RequestHandler {

    /**
     * The memory of a request that is passed on, in bytes: two virtual threads with their buffers,
     * and a connection to the server with its own.
     */
    static final int CHARGE = 96 * 1024;

    /** Its order among the handlers. What others answer, too, the API server answers. */
    static final int FIRST = 0;

    /**
     * How long both sides may be silent in watches, logs, and connections to containers: as long as
     * the kubelet lets them.
     */
    static final Duration STREAMING = Duration.ofHours(4);

    private static final Set<String> METHODS =
            Set.of("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE");

    /** Refused whatever the mode, since their responses may repeat credentials. */
    private static final Set<String> NEVER = Set.of("TRACE", "CONNECT");

    /**
     * Subresources that connect to a program behind the API server, or read what it writes.
     * Requests may take any time, as on the API server, and have nothing of an object.
     */
    static final Set<String> CONNECTIONS = Set.of("attach", "exec", "log", "portforward", "proxy");

    /** Codes that say that the API server has not answered. */
    private static final Set<Integer> UNAVAILABLE = Set.of(502, 503, 504);

    private static final String MISSING = "kubemirror.pass-through.own-verbs does not contain ";

    /**
     * What requests that are passed on need.
     *
     * @param api the API server; not created if nothing is passed on
     * @param floors are raised by what the API server answers
     * @param sources tell whether a type comes from the API server
     * @param open tracks the requests in progress
     * @param nanos a monotonic clock in nanoseconds
     */
    @Component
    record Services(
            @Qualifier("apiServer") ObjectProvider<KubeClient> api,
            Floors floors,
            Source sources,
            RequestTracker open,
            ClientSettings settings,
            LongSupplier nanos) {

        /** How much longer than the API server this process waits. */
        private static final Duration LATER = Duration.ofSeconds(5);

        /**
         * How long both sides may be silent unless requests may take any time. The API server
         * answers a request that takes too long itself, a little earlier.
         */
        Duration silence() {
            return settings.readTimeout().plus(LATER);
        }
    }

    /** Whether requests that kubemirror does not answer are passed on. */
    @Override
    public boolean hasEffects() {
        return properties.passThrough().mode() != Mode.OFF;
    }

    /** The API server alone decides about clients whose credentials it gets. */
    @Override
    public Optional<Admission> decide(HttpServletRequest request, boolean mirrored) {
        if (!isTaken(request, mirrored)) {
            return Optional.empty();
        }
        boolean asked =
                properties.passThrough().mode() == Mode.CLIENT && document(request).isEmpty();
        return Optional.of(
                new Admission(
                        this,
                        asked ? Optional.empty() : Optional.of(PermissionReader::allOfMethod),
                        CHARGE));
    }

    /**
     * Returns the discovery document that is requested, to which kubemirror has an answer of its
     * own for as long as the API server cannot be reached.
     */
    private static Optional<RequestPath.Discovery> document(HttpServletRequest request) {
        return request.getMethod().equals("GET")
                        && !AuthenticationFilter.isImpersonation(request)
                        && ParsedRequest.of(request).requestPath()
                                instanceof RequestPath.Discovery path
                ? Optional.of(path)
                : Optional.empty();
    }

    /**
     * Whether a request is passed on: all but gets, lists, and watches of mirrored resources. Those
     * that impersonate another user are passed on as well.
     */
    private boolean isTaken(HttpServletRequest request, boolean mirrored) {
        if (!hasEffects() || NEVER.contains(request.getMethod())) {
            return false;
        }
        if (!request.getMethod().equals("GET") || AuthenticationFilter.isImpersonation(request)) {
            return true;
        }
        return switch (ParsedRequest.of(request).requestPath()) {
            case RequestPath.OfResource path ->
                    switch (onDemand.use(path.resource())) {
                        case OTHER -> !mirrored && !directory.isAwaited(path.resource());
                        case PENDING -> !needsMirror(path, ParsedRequest.of(request).query());
                        case READY -> isPageOfServer(path, ParsedRequest.of(request).query());
                    };
            case RequestPath.Malformed _, RequestPath.Extension _ -> false;
            case RequestPath.VersionPath _,
                    RequestPath.Discovery _,
                    RequestPath.Part _,
                    RequestPath.Unserved _,
                    RequestPath.Elsewhere _ ->
                    true;
        };
    }

    /** Whether the API server began a list, whose state the mirrors do not have. */
    private boolean isPageOfServer(RequestPath.OfResource path, Query query) {
        try {
            String token = query.text("continue");
            Revision shown = token.isEmpty() ? null : ContinueToken.decode(token).revision();
            return shown != null
                    && directory.of(path.resource()).stream()
                            .allMatch(mirror -> mirror.snapshot(shown).isEmpty());
        } catch (Rejection malformed) {
            return false;
        }
    }

    /** Whether a request is a watch, or for what only mirrors know (list-watch.md#od-2). */
    private boolean needsMirror(RequestPath.OfResource path, Query query) {
        return path.isWatch(query) || CollectionRequest.isForMirrorOnly(query);
    }

    @Override
    public Optional<WatchConnection> answer(Exchange exchange) throws Rejection, IOException {
        pass(exchange);
        return Optional.empty();
    }

    /**
     * Passes a request on. What kubemirror knows itself, it answers if the API server cannot be
     * reached.
     */
    void pass(Exchange exchange) throws Rejection, IOException {
        try {
            pass(PermissionReader.ofMethod(exchange.request()), exchange);
            startMirror(exchange);
        } catch (Rejection refusal) {
            known(exchange, refusal).with(StalenessPolicy.STATE, "stale").send(exchange.response());
        }
    }

    /** Only what the API server has shown to a client is mirrored (list-watch.md#od-1). */
    private void startMirror(Exchange exchange) {
        if (exchange.request().getMethod().equals("GET")
                && exchange.response().getStatus() == HttpServletResponse.SC_OK
                && exchange.parsed().requestPath() instanceof RequestPath.OfResource path) {
            onDemand.demand(path.resource());
        }
    }

    /**
     * Returns what kubemirror knows itself if the API server cannot be reached
     * (list-watch.md#di-16).
     *
     * @param refusal the response otherwise
     */
    private Reply known(Exchange exchange, Rejection refusal) throws Rejection {
        RequestPath.Discovery document = document(exchange.request()).orElse(null);
        if (document == null || !UNAVAILABLE.contains(refusal.reply().code())) {
            throw refusal;
        }
        try {
            return discovery.document(document, exchange);
        } catch (Rejection unknown) {
            throw refusal;
        }
    }

    private void pass(Permission permission, Exchange exchange) throws Rejection, IOException {
        exchange.note().verb(Names.kebab(permission.verb()));
        exchange.note().passed(resource(permission));
        HttpServletRequest request = exchange.request();
        checkMeaning(request);
        checkOrder(exchange);
        boolean own = properties.passThrough().mode() == Mode.OWN;
        Map<String, List<String>> headers = ForwardedHeaders.ofRequest(request, own);
        if (!own && !ForwardedHeaders.areIdentifying(headers)) {
            throw new Rejection(StatusErrors.unauthorized());
        }
        if (own) {
            checkVerb(permission, request);
        }
        CredentialOwner credentials = own ? CredentialOwner.KUBEMIRROR : CredentialOwner.CLIENT;
        new PassedExchange(exchange, services, Answerer.PASSED, isLong(permission))
                .run(credentials, target(request), headers);
    }

    /** Returns path and query as the client sent them. */
    private static String target(HttpServletRequest request) {
        String query = request.getQueryString();
        return request.getRequestURI() + (query == null ? "" : "?" + query);
    }

    private static String resource(Permission permission) {
        return switch (permission) {
            case Permission.OnPath _ -> "";
            case Permission.OnResource wanted ->
                    wanted.plural()
                            + (wanted.group().isEmpty() ? "" : "." + wanted.group())
                            + (wanted.subresource().isEmpty() ? "" : "/" + wanted.subresource());
        };
    }

    /** Refuses what servers may understand in different ways. */
    private static void checkMeaning(HttpServletRequest request) throws Rejection {
        String path = ParsedRequest.of(request).path().orElse("");
        boolean dots =
                Arrays.stream(path.split("/", -1))
                        .anyMatch(segment -> segment.equals(".") || segment.equals(".."));
        if (dots || !path.startsWith("/") || ForwardedHeaders.areAmbiguous(request)) {
            throw new Rejection(Reply.BAD_REQUEST);
        }
    }

    /** Refuses options of lists that only mirrors know (list-watch.md#or-10). */
    private void checkOrder(Exchange exchange) throws Rejection {
        boolean list = exchange.parsed().requestPath() instanceof RequestPath.Collection;
        if (list && exchange.request().getMethod().equals("GET")) {
            ListArrangement.refuse(
                    exchange.query(), "kubemirror does not mirror all of what is requested");
        }
    }

    private void checkVerb(Permission permission, HttpServletRequest request) throws Rejection {
        if (!METHODS.contains(request.getMethod())) {
            throw new Rejection(StatusErrors.methodNotAllowed());
        }
        Verb verb = ownVerb(permission, PassedExchange.protocol(request) != null);
        if (!properties.passThrough().isOwn(verb)) {
            throw new Rejection(StatusErrors.forbidden(permission, MISSING + Names.kebab(verb)));
        }
        if (AuthenticationFilter.isImpersonation(request)
                && !properties.passThrough().isOwn(Verb.IMPERSONATE)) {
            throw new Rejection(StatusErrors.forbidden(MISSING + "impersonate"));
        }
    }

    /**
     * Returns what a request does with the identity of kubemirror, whatever its method is. One that
     * changes the protocol creates a connection, unless it reads a log or watches.
     */
    private static Verb ownVerb(Permission permission, boolean upgrade) {
        String subresource =
                permission instanceof Permission.OnResource wanted ? wanted.subresource() : "";
        if (subresource.isEmpty() || subresource.equals("log")) {
            return permission.verb();
        }
        boolean creates = upgrade && permission.verb() == Verb.GET;
        return CONNECTIONS.contains(subresource)
                ? Verb.PROXY
                : creates ? Verb.CREATE : permission.verb();
    }

    /** Whether a request may take any time, as on the API server. */
    private static boolean isLong(Permission permission) {
        boolean streaming = permission.verb() == Verb.WATCH || permission.verb() == Verb.PROXY;
        return streaming
                || (permission instanceof Permission.OnResource wanted
                        && CONNECTIONS.contains(wanted.subresource()));
    }

    /** Returns the error of a request that the API server has not answered. */
    static Status error(Failure failure) {
        String why = failure.summary();
        return switch (failure) {
            case Failure.Refused(Status status) -> status.code() == 503 ? status : badGateway(why);
            case Failure.Unreachable broken ->
                    switch (broken.kind()) {
                        case REFUSED -> StatusErrors.unavailable(why);
                        case SILENT ->
                                new Status(
                                        504,
                                        Status.reason(504),
                                        "Timeout: " + why,
                                        Status.Details.EMPTY);
                        case BROKEN, UNTRUSTED -> badGateway(why);
                    };
            case Failure.Malformed _ -> badGateway(why);
        };
    }

    /** The API server, or the way to it, does not answer as a server should. */
    static Status badGateway(String why) {
        String message = "the API server cannot be used: " + why;
        return new Status(502, Status.reason(502), message, null);
    }
}
