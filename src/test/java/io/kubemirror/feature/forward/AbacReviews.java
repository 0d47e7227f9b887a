package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.api.FakeForwardingApi;
import io.kubemirror.kube.ReviewClient;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.source.Result;
import io.kubemirror.testing.JsonTrees;

import tools.jackson.databind.node.ObjectNode;

/**
 * Reviews by the policies of an API server with ABAC, since the real API server of the tests has no
 * review API.
 */
final class AbacReviews extends ReviewClient {

    private final Map<String, Identity> identities;
    private final List<String> policies;

    /**
     * Creates reviews.
     *
     * @param identities the users by their tokens
     * @param policies the specs of the policies, as JSON
     */
    AbacReviews(Map<String, Identity> identities, List<String> policies) {
        super(new FakeForwardingApi());
        this.identities = Map.copyOf(identities);
        this.policies = List.copyOf(policies);
    }

    @Override
    public Result<Optional<Identity>> identify(
            String token, List<String> audiences, Duration limit) {
        return Result.of(Optional.ofNullable(identities.get(token)));
    }

    @Override
    public Result<AccessReview> review(Identity identity, Permission permission, Duration limit) {
        boolean allowed =
                identity.groups().contains("system:masters")
                        || policies.stream()
                                .map(JsonTrees::parse)
                                .filter(policy -> isFor(policy, "user", identity.name()))
                                .filter(policy -> isRead(permission) || !isReadOnly(policy))
                                .anyMatch(policy -> allows(policy, permission));
        return Result.of(new AccessReview(allowed, allowed ? "" : "No policy matched."));
    }

    @Override
    public Result<Optional<AccessReview>> reviewOwner(
            String token, Permission permission, Duration limit) {
        Identity owner = identities.get(token);
        return owner == null
                ? Result.of(Optional.empty())
                : review(owner, permission, limit).then(review -> Result.of(Optional.of(review)));
    }

    @Override
    public Result<Optional<Identity>> owner(String token, Duration limit) {
        return identify(token, List.of(), limit);
    }

    private static boolean isRead(Permission permission) {
        return permission.verb() != Verb.PROXY;
    }

    private static boolean isReadOnly(ObjectNode policy) {
        return policy.path("readonly").asBoolean(false);
    }

    private static boolean allows(ObjectNode policy, Permission permission) {
        return switch (permission) {
            case Permission.OnPath(var _, String path) -> isFor(policy, "nonResourcePath", path);
            case Permission.OnResource wanted ->
                    isFor(policy, "namespace", wanted.namespace())
                            && isFor(policy, "resource", wanted.plural())
                            && isFor(policy, "apiGroup", wanted.group());
        };
    }

    private static boolean isFor(ObjectNode policy, String attribute, String value) {
        String expected = policy.path(attribute).asString("");
        return expected.equals("*") || expected.equals(value);
    }
}
