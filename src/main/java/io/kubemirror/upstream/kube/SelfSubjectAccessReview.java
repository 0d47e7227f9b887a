package io.kubemirror.upstream.kube;

import io.kubemirror.model.Permission;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.Result;
import io.kubemirror.upstream.ReviewApi.AccessReview;

import okhttp3.Response;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.Locale;

/** Writes {@code SelfSubjectAccessReview} requests and reads their responses. */
final class SelfSubjectAccessReview {

    /** The path of the reviews. */
    static final String PATH = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

    /** The maximum size of a response in bytes, a hundred times the usual size. */
    private static final int LIMIT = 64 * 1024;

    private SelfSubjectAccessReview() {}

    /** Returns the review as JSON. */
    static String of(Permission permission) {
        ObjectNode review = JsonMapper.shared().createObjectNode();
        review.put("apiVersion", "authorization.k8s.io/v1").put("kind", "SelfSubjectAccessReview");
        review.putObject("spec")
                .putObject("resourceAttributes")
                .put("verb", permission.verb().name().toLowerCase(Locale.ROOT))
                .put("group", permission.group())
                .put("resource", permission.resource())
                .put("namespace", permission.namespace());
        return review.toString();
    }

    /** Reads the result and closes the response. */
    static Result<AccessReview> read(Response response) {
        try (response) {
            byte[] json = ResponseBody.of(response).readNBytes(LIMIT);
            JsonNode status = JsonMapper.shared().readTree(json).path("status");
            JsonNode allowed = status.path("allowed");
            return allowed.isBoolean()
                    ? Result.of(
                            new AccessReview(
                                    allowed.booleanValue(), status.path("reason").asString("")))
                    : Result.failed(
                            new Failure.Malformed("the review of the access has no decision"));
        } catch (IOException e) {
            return Result.failed(TransportFailure.of(e).failure());
        } catch (JacksonException e) {
            return Result.failed(TransportFailure.of(e, false).failure());
        }
    }
}
