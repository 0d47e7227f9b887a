package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.ReviewApi.AccessReview;
import io.kubemirror.kube.ReviewApi.BearerToken;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Names;
import io.kubemirror.model.Permission;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A request for a review, and the readers of its status.
 *
 * @param apiVersion the API version of the review
 * @param kind {@code TokenReview}, {@code SubjectAccessReview}, {@code SelfSubjectAccessReview}, or
 *     {@code SelfSubjectReview}
 * @param spec what to review
 */
record ReviewDocument(String apiVersion, String kind, ObjectNode spec) {

    private static final String AUTHENTICATION = "authentication.k8s.io/v1";
    private static final String AUTHORIZATION = "authorization.k8s.io/v1";

    /** Returns the review of a token. */
    static ReviewDocument of(BearerToken token) {
        ObjectNode spec = node().put("token", token.value());
        if (!token.audiences().isEmpty()) {
            token.audiences().forEach(spec.putArray("audiences")::add);
        }
        return new ReviewDocument(AUTHENTICATION, "TokenReview", spec);
    }

    /** Returns the review of a permission of an identity. */
    static ReviewDocument of(Identity identity, Permission permission) {
        ObjectNode spec = node().put("user", identity.name()).put("uid", identity.uid());
        identity.groups().forEach(spec.putArray("groups")::add);
        ObjectNode extra = spec.putObject("extra");
        identity.extra().forEach((key, values) -> values.forEach(extra.putArray(key)::add));
        putAttributes(spec, permission);
        return new ReviewDocument(AUTHORIZATION, "SubjectAccessReview", spec);
    }

    /** Returns the review of who sends it. */
    static ReviewDocument ofSender() {
        return new ReviewDocument(AUTHENTICATION, "SelfSubjectReview", node());
    }

    /** Returns the review of a permission of who sends it. */
    static ReviewDocument of(Permission permission) {
        ObjectNode spec = node();
        putAttributes(spec, permission);
        return new ReviewDocument(AUTHORIZATION, "SelfSubjectAccessReview", spec);
    }

    private static ObjectNode node() {
        return JsonMapper.shared().createObjectNode();
    }

    /** Returns the path of reviews of this kind. */
    String path() {
        return "/apis/" + apiVersion + "/" + kind.toLowerCase(Locale.ROOT) + "s";
    }

    /** Returns the review as JSON. */
    String json() {
        return node().put("apiVersion", apiVersion).put("kind", kind).set("spec", spec).toString();
    }

    /** Omits the content, which may be a token. */
    @Override
    public String toString() {
        return kind;
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
            case Permission.OnPath(var _, String path) ->
                    spec.putObject("nonResourceAttributes").put("verb", verb).put("path", path);
        }
    }

    /**
     * Reads the status of a token review. A server that returns no audiences has not checked them.
     */
    static Optional<Identity> token(JsonNode status, List<String> audiences) {
        boolean meant =
                audiences.isEmpty()
                        || !Collections.disjoint(audiences, texts(status.path("audiences")));
        return status.path("authenticated").asBoolean(false) && meant
                ? user(status.path("user"))
                : Optional.empty();
    }

    /** Reads the status of the review of who has sent it. */
    static Optional<Identity> sender(JsonNode status) {
        return user(status.path("userInfo"));
    }

    private static Optional<Identity> user(JsonNode user) {
        String name = user.path("username").asString("");
        if (name.isEmpty()) {
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
