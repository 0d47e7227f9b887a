package io.kubemirror.access;

import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Authorizes requests that the API server would authorize. */
final class AccessReviews implements Authorizer {

    private final Reviewer reviewer;
    private final TokenHasher tokenHasher;
    private final ReviewCache<Authorization> cache;

    AccessReviews(Reviewer reviewer, TokenHasher tokenHasher, ReviewCache<Authorization> cache) {
        this.reviewer = reviewer;
        this.tokenHasher = tokenHasher;
        this.cache = cache;
    }

    /** Returns how a result is cached. */
    static ReviewCache.ReviewResultKind kind(Authorization answer) {
        return switch (answer) {
            case Authorization.Allowed _ -> ReviewCache.ReviewResultKind.YES;
            case Authorization.Denied _ -> ReviewCache.ReviewResultKind.NO;
            case Authorization.Unavailable _ -> ReviewCache.ReviewResultKind.NONE;
        };
    }

    /** Returns the number of characters that a result holds. */
    static int texts(Authorization answer) {
        return switch (answer) {
            case Authorization.Allowed _ -> 0;
            case Authorization.Denied(String reason) -> reason.length();
            case Authorization.Unavailable(String why) -> why.length();
        };
    }

    @Override
    public Authorization decide(Identity identity, Permission permission)
            throws InterruptedException {
        return cache.get(
                tokenHasher.text(parts(identity, permission)),
                () -> reviewer.decide(identity, permission));
    }

    /** Returns everything that the result depends on. Lists are preceded by their size. */
    private static List<String> parts(Identity identity, Permission permission) {
        List<String> parts = new ArrayList<>(List.of(identity.name(), identity.uid()));
        add(parts, identity.groups());
        new TreeMap<>(identity.extra())
                .forEach(
                        (key, values) -> {
                            parts.add(key);
                            add(parts, values);
                        });
        switch (permission) {
            case Permission.OnPath(String path) -> add(parts, List.of(path));
            case Permission.OnResource wanted ->
                    add(
                            parts,
                            List.of(
                                    wanted.verb().name(),
                                    wanted.group(),
                                    wanted.version(),
                                    wanted.resource(),
                                    wanted.namespace(),
                                    wanted.name()));
        }
        return parts;
    }

    private static void add(List<String> parts, List<String> several) {
        parts.add(Integer.toString(several.size()));
        parts.addAll(several);
    }
}
