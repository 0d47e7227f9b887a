package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.UpstreamSettings.UpstreamException;
import io.kubemirror.kube.json.ResponseTimeout;
import io.kubemirror.kube.json.TransportFailure;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.Result;
import io.kubernetes.client.util.exception.TokenAquisitionException;

import okhttp3.Call;
import okhttp3.Response;

import org.apache.commons.io.function.IOFunction;

/**
 * The connection to the API server. When the server answers 401 or TLS fails, it is replaced by one
 * with fresh credentials and certificates, and the request is repeated once. May be used from any
 * thread.
 */
final class RenewableConnection {

    private final CredentialSource source;
    private final ClientSettings settings;

    /**
     * Written under the monitor. A thread that reads an outdated connection gets rejected by the
     * server and renews it.
     */
    private volatile ServerConnection connection;

    /** The last renewal. Guarded by the monitor. */
    private CompletableFuture<ServerConnection> renewal;

    /**
     * Connects. No request is sent.
     *
     * @throws UpstreamException if the source cannot be used
     */
    RenewableConnection(CredentialSource source, ClientSettings settings) {
        this.source = source;
        this.settings = settings;
        this.connection = source.connect(settings, false);
        this.renewal = CompletableFuture.completedFuture(connection);
    }

    /**
     * Sends a request and waits for the head of the response.
     *
     * @param request creates the call
     * @param accepted tests whether the response is the caller's to read; all others are failures
     */
    Result<AcceptedCall> send(
            Function<ServerConnection, Call> request, Predicate<Response> accepted) {
        return send(
                request,
                call -> new ResponseTimeout(call, settings.readTimeout()).execute(),
                accepted);
    }

    /**
     * Sends a request and waits for the head of the response.
     *
     * @param request creates the call
     * @param sender sends the call
     * @param accepted tests whether the response is the caller's to read; all others are failures
     */
    Result<AcceptedCall> send(
            Function<ServerConnection, Call> request,
            IOFunction<Call, Response> sender,
            Predicate<Response> accepted) {
        ServerConnection first = connection;
        try {
            Result<AcceptedCall> result = sendOnce(request.apply(first), sender, accepted);
            boolean stale = result instanceof Result.Failed(var failure) && failure.isStale();
            return source.renews() && stale
                    ? sendOnce(request.apply(renew(first)), sender, accepted)
                    : result;
        } catch (UpstreamException e) {
            return unusable(String.valueOf(e.getMessage()));
        } catch (TokenAquisitionException _) {
            return unusable("cannot read the token file");
        }
    }

    private static Result<AcceptedCall> sendOnce(
            Call call, IOFunction<Call, Response> sender, Predicate<Response> accepted) {
        try {
            Response response = sender.apply(call);
            if (accepted.test(response)) {
                return Result.of(new AcceptedCall(call, response));
            }
            try (response) {
                return Result.failed(new Failure.Refused(StatusReader.read(response)));
            }
        } catch (IOException e) {
            return Result.failed(TransportFailure.of(e));
        }
    }

    private static Result<AcceptedCall> unusable(String reason) {
        return Result.failed(new Unreachable(reason, Unreachable.Kind.UNTRUSTED));
    }

    /**
     * Replaces a connection that is no longer accepted. If several requests fail at the same time,
     * the connection is renewed once for all, on a thread of its own: a credential plugin may hang.
     *
     * @throws UpstreamException if the source cannot be used, or does not answer in time
     */
    private ServerConnection renew(ServerConnection stale) {
        try {
            return renewal(stale).get(settings.readTimeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException _) {
            throw late("the credential plugin has not answered; run it manually to see why");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw late("interrupted while the credentials are renewed");
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof RuntimeException cause
                    ? cause
                    : new IllegalStateException(failed.getCause());
        }
    }

    private UpstreamException late(String problem) {
        return new UpstreamException("kubeconfig", source + ": " + problem);
    }

    private synchronized CompletableFuture<ServerConnection> renewal(ServerConnection stale) {
        if (connection == stale && renewal.isDone()) {
            renewal =
                    CompletableFuture.supplyAsync(
                            () -> replacedBy(source.connect(settings, true)),
                            Thread.ofVirtual().name("credentials")::start);
        }
        return connection == stale ? renewal : CompletableFuture.completedFuture(connection);
    }

    private synchronized ServerConnection replacedBy(ServerConnection next) {
        connection.retire();
        connection = next;
        return next;
    }

    /** Returns whether the server accepts a connection, without sending data. */
    boolean isAccepted() {
        return connection.isAccepted();
    }

    /** Returns what tells the server from others: its address and who issues its certificate. */
    String identity() {
        return connection.identity();
    }

    /** Describes the API server and the source of the credentials, without any secret. */
    @Override
    public String toString() {
        return connection + " (" + source + ")";
    }

    /** A request and the head of its response, whose reader closes it. */
    record AcceptedCall(Call call, Response response) {}
}
