package io.kubemirror.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.kube.PassThroughClient.CredentialOwner;
import io.kubemirror.kube.PassThroughClient.PassedRequest;
import io.kubemirror.kube.PassThroughClient.PassedResponse;
import io.kubemirror.kube.json.CollectionFormat;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Names;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;

import okhttp3.RequestBody;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Lets the API server authenticate and authorize other clients. Reviews are sent with the
 * credentials of this process, which need the permissions of {@code system:auth-delegator}, or with
 * the token of the client, which needs those of {@code system:basic-user}.
 *
 * <p>Calls block as those of {@link Source} do, but no longer than their limit. All methods may be
 * called from any number of threads.
 */
public class ReviewClient {

    private final KubeClient server;

    /** Creates a client of the review API of a server. No request is sent. */
    public ReviewClient(KubeClient server) {
        this.server = server;
    }

    /**
     * The server's decision about an operation.
     *
     * @param allowed whether the operation is permitted
     * @param reason the reason given by the authorizer; often empty
     */
    public record AccessReview(boolean allowed, String reason) {}

    /**
     * Determines the identity that a token belongs to; empty if the token is invalid or not issued
     * for an accepted audience.
     *
     * @param audiences the accepted audiences, of which the token must have one; empty for those of
     *     the API server
     * @param limit the timeout of the request
     */
    public Result<Optional<Identity>> identify(
            String token, List<String> audiences, Duration limit) {
        return server.review(
                ReviewDocument.of(token, audiences),
                limit,
                status -> Result.of(ReviewDocument.token(status, audiences)));
    }

    /**
     * Determines whether an identity may perform an operation.
     *
     * @param limit the timeout of the request
     */
    public Result<AccessReview> review(Identity identity, Permission permission, Duration limit) {
        return server.review(
                ReviewDocument.of(identity, permission),
                limit,
                status -> Result.of(ReviewDocument.access(status)));
    }

    /**
     * Determines whether the owner of a token may perform an operation; empty if the token is
     * invalid. Uses the token, and no credentials of this process.
     *
     * @param limit the timeout of the request
     */
    public Result<Optional<AccessReview>> reviewOwner(
            String token, Permission permission, Duration limit) {
        Result<Optional<AccessReview>> result =
                ask(
                        token,
                        ReviewDocument.of(permission),
                        limit,
                        status -> Optional.of(ReviewDocument.access(status)));
        // An owner who may not even ask is denied.
        return result instanceof Result.Failed(Failure.Refused(Status status))
                        && status.code() == 403
                ? Result.of(Optional.of(new AccessReview(false, status.message())))
                : result;
    }

    /**
     * Determines the owner of a token; empty if it is invalid. Uses the token, and no credentials
     * of this process.
     *
     * @param limit the timeout of the request
     */
    public Result<Optional<Identity>> owner(String token, Duration limit) {
        return ask(token, ReviewDocument.ofSender(), limit, ReviewDocument::sender);
    }

    private <T> Result<Optional<T>> ask(
            String token,
            ReviewDocument review,
            Duration limit,
            Function<JsonNode, Optional<T>> reader) {
        Map<String, List<String>> headers =
                Map.of(
                        "Accept", List.of(CollectionFormat.JSON),
                        "Content-Type", List.of(CollectionFormat.JSON),
                        "Authorization", List.of("Bearer " + token));
        RequestBody body = RequestBody.create(review.json().getBytes(UTF_8));
        try {
            return server.pass(
                            new PassedRequest(
                                    CredentialOwner.CLIENT,
                                    "POST",
                                    review.path(),
                                    headers,
                                    body,
                                    null,
                                    limit))
                    .then(passed -> KubeClient.consume(passed, answer -> read(answer, reader)));
        } catch (IllegalArgumentException strange) {
            // No header can have the token.
            return Result.of(Optional.empty());
        }
    }

    private static <T> Result<Optional<T>> read(
            PassedResponse response, Function<JsonNode, Optional<T>> reader) throws IOException {
        return switch (response.code()) {
            case 200, 201 -> Result.of(reader.apply(KubeClient.reviewStatus(response.body())));
            case 401 -> Result.of(Optional.empty());
            default ->
                    Result.failed(
                            new Failure.Refused(
                                    StatusReader.read(
                                            response.body().readNBytes(StatusReader.MAX_LENGTH),
                                            response.code())));
        };
    }

    /**
     * A request for a review, and the readers of its status.
     *
     * @param apiVersion the API version of the review
     * @param kind {@code TokenReview}, {@code SubjectAccessReview}, {@code
     *     SelfSubjectAccessReview}, or {@code SelfSubjectReview}
     * @param spec what to review
     */
    record ReviewDocument(String apiVersion, String kind, ObjectNode spec) {

        private static final String AUTHENTICATION = "authentication.k8s.io/v1";
        private static final String AUTHORIZATION = "authorization.k8s.io/v1";

        /** Returns the review of a token. */
        static ReviewDocument of(String token, List<String> audiences) {
            ObjectNode spec = node().put("token", token);
            if (!audiences.isEmpty()) {
                audiences.forEach(spec.putArray("audiences")::add);
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
            return node().put("apiVersion", apiVersion)
                    .put("kind", kind)
                    .set("spec", spec)
                    .toString();
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
         * Reads the status of a token review. A server that returns no audiences has not checked
         * them.
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
            user.path("extra")
                    .properties()
                    .forEach(e -> extra.put(e.getKey(), texts(e.getValue())));
            String uid = user.path("uid").asString("");
            return Optional.of(new Identity(name, uid, texts(user.path("groups")), extra));
        }

        /** Reads the status of an access review. Denied is what is not clearly allowed. */
        static AccessReview access(JsonNode status) {
            boolean allowed =
                    status.path("allowed").asBoolean(false)
                            && !status.path("denied").asBoolean(false);
            return new AccessReview(allowed, status.path("reason").asString(""));
        }

        private static List<String> texts(JsonNode array) {
            return array.valueStream().map(text -> text.asString("")).toList();
        }
    }
}
