package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.PassThroughConnection.UnsentException;
import io.kubemirror.kube.json.TransportFailure;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.Failure.Unreachable.Kind;
import io.kubemirror.source.Result;

/** Passes requests on, and renews the credentials of this process when the server rejects them. */
final class KubePassThrough implements PassThroughApi {

    private final RenewableConnection connection;

    KubePassThrough(RenewableConnection connection) {
        this.connection = connection;
    }

    @Override
    public Result<PassedResponse> pass(PassedRequest request) {
        boolean own = request.credentials() == CredentialOwner.KUBEMIRROR;
        boolean repeatable = request.body() == null || request.body().isRepeatable();
        return connection
                .renewing(server -> send(server, request, own && repeatable))
                .then(
                        response ->
                                own && response.code() == 401
                                        ? rejected(response)
                                        : Result.of(response));
    }

    private static Result<PassedResponse> send(
            ServerConnection server, PassedRequest request, boolean renews) {
        try {
            PassedResponse response = server.passThrough(request.credentials()).send(request);
            // A client's own credentials are its own concern.
            return renews && response.code() == 401 ? unauthorized(response) : Result.of(response);
        } catch (UnsentException unsent) {
            return Result.failed(unsent(unsent.reason()));
        } catch (IOException broken) {
            return Result.failed(TransportFailure.of(broken));
        }
    }

    private static Result<PassedResponse> unauthorized(PassedResponse response) {
        try (response) {
            byte[] body = response.body().readNBytes(StatusReader.MAX_LENGTH);
            return Result.failed(new Failure.Refused(StatusReader.read(body, response.code())));
        } catch (IOException broken) {
            return Result.failed(TransportFailure.of(broken));
        }
    }

    /** Nothing of the request was sent, whatever has ended it: the end of its client, too. */
    private static Failure unsent(IOException cause) {
        Failure failure = TransportFailure.of(cause);
        return failure.isStale() ? failure : new Unreachable(failure.summary(), Kind.REFUSED);
    }

    /** Makes the next request use new credentials, since this one cannot be repeated. */
    private Result<PassedResponse> rejected(PassedResponse response) {
        if (!connection.renew()) {
            return unauthorized(response);
        }
        response.close();
        return Result.failed(
                new Failure.Refused(
                        new Status(
                                503,
                                Status.reason(503),
                                "the credentials of kubemirror were renewed, please try again",
                                Status.Details.retryAfter(1)),
                        true));
    }
}
