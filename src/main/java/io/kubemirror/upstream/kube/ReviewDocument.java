package io.kubemirror.upstream.kube;

import io.kubemirror.model.Identity;
import io.kubemirror.model.Names;
import io.kubemirror.model.Permission;
import io.kubemirror.upstream.ReviewApi.AccessReview;
import io.kubemirror.upstream.ReviewApi.BearerToken;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Writes {@code TokenReview} and {@code SubjectAccessReview} requests and reads their statuses. */
final class ReviewDocument {

    /** The path of token reviews. */
    static final String TOKENS = "/apis/authentication.k8s.io/v1/tokenreviews";

    /** The path of access reviews of this process. */
    static final String OWN_ACCESS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

    /** The path of subject access reviews. */
    static final String ACCESS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

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

    /** Returns the review of a permission of an identity. */
    static String of(Identity identity, Permission permission) {
        ObjectNode review = document("SubjectAccessReview", "authorization.k8s.io/v1");
        ObjectNode spec = review.putObject("spec").put("user", identity.name());
        spec.put("uid", identity.uid());
        identity.groups().forEach(spec.putArray("groups")::add);
        ObjectNode extra = spec.putObject("extra");
        identity.extra().forEach((key, values) -> values.forEach(extra.putArray(key)::add));
        putAttributes(spec, permission);
        return review.toString();
    }

    /** Returns the review of a permission of this process. */
    static String of(Permission permission) {
        ObjectNode review = document("SelfSubjectAccessReview", "authorization.k8s.io/v1");
        putAttributes(review.putObject("spec"), permission);
        return review.toString();
    }

    private static ObjectNode document(String kind, String apiVersion) {
        return JsonMapper.shared()
                .createObjectNode()
                .put("apiVersion", apiVersion)
                .put("kind", kind);
    }

    private static void putAttributes(ObjectNode spec, Permission permission) {
        String verb = Names.kebab(permission.verb());
        switch (permission) {
            case Permission.OnResource wanted ->
                    spec.putObject("resourceAttributes")
                            .put("verb", verb)
                            .put("group", wanted.group())
                            .put("version", wanted.version())
                            .put("resource", wanted.plural())
                            .put("subresource", wanted.subresource())
                            .put("namespace", wanted.namespace())
                            .put("name", wanted.name())
                            .removeIf(attribute -> attribute.asString("").isEmpty());
            case Permission.OnPath(String path) ->
                    spec.putObject("nonResourceAttributes").put("verb", verb).put("path", path);
        }
    }

    /**
     * Reads the status of a token review. A server that returns no audiences has not checked them.
     */
    static Optional<Identity> token(JsonNode status, List<String> audiences) {
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

    /** Reads the status of an access review. Denied is what is not clearly allowed. */
    static AccessReview access(JsonNode status) {
        boolean allowed =
                status.path("allowed").asBoolean(false) && !status.path("denied").asBoolean(false);
        return new AccessReview(allowed, status.path("reason").asString(""));
    }

    private static List<String> texts(JsonNode array) {
        return array.valueStream().map(text -> text.asString("")).toList();
    }
}
