package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.PassThroughApi.CredentialOwner;
import io.kubemirror.kube.ReviewApi.AccessReview;
import io.kubemirror.kube.ReviewApi.BearerToken;
import io.kubemirror.kube.json.CollectionFormat;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;

import okhttp3.Call;
import okhttp3.Headers;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends reviews with the token of a client, on the connections that have no credentials of this
 * process.
 */
record TokenReviews(RenewableConnection connection, String agent) {

    private static final MediaType JSON = MediaType.get(CollectionFormat.JSON);

    /** The maximum size of a review in bytes, more than a hundred times the usual size. */
    private static final int MAX_BYTES = 1024 * 1024;

    /**
     * Determines whether the owner of a token may perform an operation; empty if the token is
     * invalid. An owner who may not even ask is denied.
     */
    Result<Optional<AccessReview>> review(
            BearerToken token, Permission permission, Duration limit) {
        Result<Optional<AccessReview>> result =
                send(
                        token,
                        ReviewDocument.of(permission),
                        limit,
                        status -> Optional.of(ReviewDocument.access(status)));
        return result instanceof Result.Failed(Failure.Refused(Status status, var _))
                        && status.code() == 403
                ? Result.of(Optional.of(new AccessReview(false, status.message())))
                : result;
    }

    /** Determines the owner of a token; empty if it is invalid. */
    Result<Optional<Identity>> owner(BearerToken token, Duration limit) {
        return send(token, ReviewDocument.ofSender(), limit, ReviewDocument::sender);
    }

    private <T> Result<Optional<T>> send(
            BearerToken token,
            ReviewDocument review,
            Duration limit,
            Function<JsonNode, Optional<T>> reader) {
        return connection
                .send(
                        server -> call(server, token, review, limit),
                        Call::execute,
                        // A client's own credentials are its own concern.
                        response -> response.isSuccessful() || response.code() == 401)
                .then(
                        accepted ->
                                KubeClient.read(
                                        accepted.response(),
                                        response -> Result.of(read(response, reader))));
    }

    private static <T> Optional<T> read(Response response, Function<JsonNode, Optional<T>> reader)
            throws IOException {
        if (response.code() == 401) {
            return Optional.empty();
        }
        byte[] json = response.body().byteStream().readNBytes(MAX_BYTES);
        return reader.apply(JsonMapper.shared().readTree(json).path("status"));
    }

    private Call call(
            ServerConnection server, BearerToken token, ReviewDocument review, Duration limit) {
        Headers headers =
                new Headers.Builder()
                        .add("User-Agent", agent)
                        .add("Accept", CollectionFormat.JSON)
                        .add("Accept-Encoding", "identity")
                        // The server judges a token of strange characters.
                        .addUnsafeNonAscii("Authorization", "Bearer " + token.value())
                        .build();
        Request.Builder request =
                new Request.Builder()
                        .headers(headers)
                        .post(RequestBody.create(review.json(), JSON));
        Call call = server.passThrough(CredentialOwner.CLIENT).call(request, review.path(), limit);
        call.timeout().timeout(limit.toNanos(), TimeUnit.NANOSECONDS);
        return call;
    }
}
