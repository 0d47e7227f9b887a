package io.kubemirror.upstream.kube;

import io.kubemirror.model.Identity;
import io.kubemirror.model.Intent;
import io.kubemirror.upstream.BearerToken;
import io.kubemirror.upstream.Result;
import io.kubemirror.upstream.ReviewApi.AccessReview;

import okhttp3.Response;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Writes {@code TokenReview} and {@code SubjectAccessReview} requests and reads their responses.
 */
final class ReviewDocument {

    /** The path of token reviews. */
    static final String TOKENS = "/apis/authentication.k8s.io/v1/tokenreviews";

    /** The path of subject access reviews. */
    static final String ACCESS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

    /**
     * The maximum size of a response in bytes. A review of a token with a thousand groups is
     * smaller.
     */
    private static final int LIMIT = 1024 * 1024;

    private ReviewDocument() {}

    /** Returns the review of a token. */
    static String of(BearerToken token) {
        ObjectNode review = document("TokenReview", "authentication.k8s.io/v1");
        ObjectNode spec = review.putObject("spec").put("token", token.value());
        if (!token.audiences().isEmpty()) {
            token.audiences().forEach(spec.putArray("audiences")::add);
        }
        return review.toString();
    }

    /** Returns the review of a permission. */
    static String of(Identity identity, Intent intent) {
        ObjectNode review = document("SubjectAccessReview", "authorization.k8s.io/v1");
        ObjectNode spec = review.putObject("spec").put("user", identity.name());
        spec.put("uid", identity.uid());
        identity.groups().forEach(spec.putArray("groups")::add);
        ObjectNode extra = spec.putObject("extra");
        identity.extra().forEach((key, values) -> values.forEach(extra.putArray(key)::add));
        switch (intent) {
            case Intent.OnResource wanted ->
                    spec.putObject("resourceAttributes")
                            .put("verb", wanted.verb())
                            .put("group", wanted.group())
                            .put("version", wanted.version())
                            .put("resource", wanted.plural())
                            .put("subresource", wanted.subresource())
                            .put("namespace", wanted.namespace())
                            .put("name", wanted.name());
            case Intent.OnPath wanted ->
                    spec.putObject("nonResourceAttributes")
                            .put("verb", "get")
                            .put("path", wanted.path());
        }
        return review.toString();
    }

    private static ObjectNode document(String kind, String apiVersion) {
        return JsonMapper.shared()
                .createObjectNode()
                .put("kind", kind)
                .put("apiVersion", apiVersion);
    }

    /** Reads the result of a token review and closes the response. */
    static Result<Optional<Identity>> token(Response response, List<String> audiences) {
        return read(response, status -> token(status, audiences));
    }

    /** Reads the result of a subject access review and closes the response. */
    static Result<AccessReview> access(Response response) {
        return read(response, ReviewDocument::access);
    }

    private static <T> Result<T> read(Response response, Function<JsonNode, T> status) {
        try (response) {
            byte[] json = ResponseBody.of(response).readNBytes(LIMIT);
            return Result.of(status.apply(JsonMapper.shared().readTree(json).path("status")));
        } catch (IOException e) {
            return Result.failed(TransportFailure.of(e).failure());
        } catch (JacksonException e) {
            return Result.failed(TransportFailure.of(e, false).failure());
        }
    }

    /**
     * Reads the status of a token review. A server that returns no audiences has not checked them.
     */
    private static Optional<Identity> token(JsonNode status, List<String> audiences) {
        JsonNode user = status.path("user");
        String name = user.path("username").asString("");
        boolean meant =
                audiences.isEmpty()
                        || !Collections.disjoint(audiences, texts(status.path("audiences")));
        if (!status.path("authenticated").asBoolean(false) || name.isEmpty() || !meant) {
            return Optional.empty();
        }
        Map<String, List<String>> extra = new TreeMap<>();
        user.path("extra").properties().forEach(e -> extra.put(e.getKey(), texts(e.getValue())));
        String uid = user.path("uid").asString("");
        return Optional.of(new Identity(name, uid, texts(user.path("groups")), extra));
    }

    private static AccessReview access(JsonNode status) {
        boolean allowed =
                status.path("allowed").asBoolean(false) && !status.path("denied").asBoolean(false);
        return new AccessReview(allowed, status.path("reason").asString(""));
    }

    private static List<String> texts(JsonNode array) {
        return array.valueStream().map(text -> text.asString("")).toList();
    }
}
