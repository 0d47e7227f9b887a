package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.RevisionProbe;
import io.kubemirror.api.server.PermissionReader;
import io.kubemirror.api.server.RequestHandler;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.kube.KubeClient;
import io.kubemirror.kube.KubeClient.ServerVersion;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;

import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Serves the version of the API server on {@code /version}, because clients use it to decide which
 * features to use.
 *
 * <p>The version is cached and refreshed when it is old. While the server is unreachable, the last
 * known version is served. May be used from any thread.
 */
@Component
@Order(PassThrough.FIRST + 1)
final class VersionEndpoint implements RequestHandler {

    /** The lifetime of the cached version, within which upgrades of the server are noticed. */
    private static final Duration FRESH = Duration.ofMinutes(5);

    private static final Failure NO_VERSION =
            new Failure.Refused(
                    new Status(
                            404,
                            "NotFound",
                            "no API server is configured, so that there is no version",
                            null));

    private final Source api;
    private final LongSupplier nanos;
    private volatile @Nullable KnownVersion known;

    /**
     * A version document of the server.
     *
     * @param reply the document
     * @param at the time of its arrival
     */
    private record KnownVersion(Reply reply, long at) {}

    /**
     * Creates an endpoint without a known version.
     *
     * @param nanos a monotonic clock in nanoseconds
     */
    VersionEndpoint(Source api, LongSupplier nanos) {
        this.api = api;
        this.nanos = nanos;
    }

    @Override
    public Optional<Admission> decide(HttpServletRequest request, boolean mirrored) {
        boolean taken =
                request.getMethod().equals("GET")
                        && ParsedRequest.of(request).requestPath()
                                instanceof RequestPath.VersionPath;
        return taken
                ? Optional.of(
                        new Admission(
                                this,
                                Optional.of(PermissionReader::allOfRead),
                                ClientMemory.RESPONSE))
                : Optional.empty();
    }

    /** Sends the version. */
    @Override
    public Optional<WatchConnection> answer(Exchange exchange) throws Rejection, IOException {
        read().send(exchange.response());
        return Optional.empty();
    }

    /**
     * Returns the version document of the server.
     *
     * @throws Rejection if the version is neither known nor available
     */
    Reply read() throws Rejection {
        KnownVersion old = known;
        long now = nanos.getAsLong();
        if (old != null && now - old.at() < FRESH.toNanos()) {
            return old.reply();
        }
        Result<ServerVersion> asked =
                api.as(KubeClient.class)
                        .map(KubeClient::version)
                        .orElseGet(() -> Result.failed(NO_VERSION));
        Reply reply =
                switch (asked) {
                    case Result.Success(var found) ->
                            Reply.json(found.json().getBytes(StandardCharsets.UTF_8));
                    case Result.Failed(var _) when old != null -> old.reply();
                    case Result.Failed(var failure) ->
                            throw new Rejection(RevisionProbe.status(failure));
                };
        known = new KnownVersion(reply, now);
        return reply;
    }
}
