package io.kubemirror.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.kube.PassThroughApi.CredentialOwner;
import io.kubemirror.kube.PassThroughApi.PassedRequest;
import io.kubemirror.kube.PassThroughApi.PassedResponse;
import io.kubemirror.kube.PassThroughApi.RequestContent;
import io.kubemirror.kube.ReviewApi.AccessReview;
import io.kubemirror.kube.ReviewApi.BearerToken;
import io.kubemirror.kube.json.CollectionFormat;
import io.kubemirror.kube.json.TransportFailure;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Sends reviews with the token of a client, on the connections that have no credentials of this
 * process.
 */
record TokenReviews(PassThroughApi server, String agent) {

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
        return server.pass(request(token, review, limit))
                .then(
                        response -> {
                            try (response) {
                                return read(response, reader);
                            } catch (IOException broken) {
                                return Result.failed(TransportFailure.of(broken));
                            } catch (JacksonException malformed) {
                                return Result.failed(TransportFailure.of(malformed, false));
                            }
                        });
    }

    private static <T> Result<Optional<T>> read(
            PassedResponse response, Function<JsonNode, Optional<T>> reader) throws IOException {
        byte[] json = response.body().readNBytes(MAX_BYTES);
        // A client's own credentials are its own concern.
        return switch (response.code()) {
            case 401 -> Result.of(Optional.empty());
            case 200, 201, 202 ->
                    Result.of(reader.apply(KubeClient.JSON.readTree(json).path("status")));
            default -> Result.failed(new Failure.Refused(StatusReader.read(json, response.code())));
        };
    }

    private PassedRequest request(BearerToken token, ReviewDocument review, Duration limit) {
        Map<String, List<String>> headers =
                Map.of(
                        "User-Agent", List.of(agent),
                        "Accept", List.of(CollectionFormat.JSON),
                        "Accept-Encoding", List.of("identity"),
                        "Content-Type", List.of(CollectionFormat.JSON),
                        // The server judges a token of strange characters.
                        "Authorization", List.of("Bearer " + token.value()));
        return new PassedRequest(
                CredentialOwner.CLIENT,
                "POST",
                review.path(),
                headers,
                RequestContent.of(review.json().getBytes(UTF_8)),
                null,
                limit);
    }
}
