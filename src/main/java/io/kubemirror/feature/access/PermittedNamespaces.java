package io.kubemirror.feature.access;

import module java.base;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import io.kubemirror.api.http.AccessControl.AccessDecision;
import io.kubemirror.api.http.NamespaceLimit;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.read.MirrorDirectory.PopulatedNamespaces;
import io.kubemirror.model.Permission;

import org.jspecify.annotations.Nullable;

/**
 * Limits clients that ask for all namespaces to those in which they may read (list-watch.md#pn-1).
 *
 * <p>Remembers the limit of each client, so that one that continues does not have to list again. A
 * limit that was forgotten begins at the present revision.
 */
final class PermittedNamespaces {

    /** The maximum number of namespaces that are reviewed for a request (list-watch.md#pn-2). */
    static final int MAX_NAMESPACES = 250;

    /** The memory of a namespace in a limit, in bytes: its entry, and its name. */
    private static final int NAMESPACE = 128;

    private final Supplier<MirrorDirectory> directory;
    private final Cache<String, NamespaceLimit> limits;

    /** Decides about one namespace. */
    @FunctionalInterface
    interface NamespaceCheck {

        AccessDecision check(Permission.OnResource permission) throws InterruptedException;
    }

    /**
     * Creates an instance without limits.
     *
     * @param bytes the maximum size of the remembered limits
     * @param executor forgets them
     */
    PermittedNamespaces(Supplier<MirrorDirectory> directory, long bytes, Executor executor) {
        this.directory = directory;
        this.limits =
                Caffeine.newBuilder()
                        .maximumWeight(bytes)
                        .weigher(PermittedNamespaces::weight)
                        .executor(executor)
                        .build();
    }

    private static int weight(String key, NamespaceLimit limit) {
        return ReviewCache.ENTRY
                + 2 * key.length()
                + NAMESPACE * limit.namespaces().map(Set::size).orElse(0);
    }

    /**
     * Limits a decision.
     *
     * @param all the decision about all namespaces
     * @param client a digest of who the client is
     * @param each decides about each namespace
     * @throws InterruptedException if the thread is interrupted while it waits for a review
     */
    AccessDecision limit(
            AccessDecision all, String client, Permission.OnResource wanted, NamespaceCheck each)
            throws InterruptedException {
        String key = client + wanted;
        return switch (all) {
            case AccessDecision.Admitted(var user, _) ->
                    new AccessDecision.Admitted(user, lifted(key, wanted));
            case AccessDecision.Forbidden denial -> limited(denial, key, wanted, each);
            case AccessDecision.Limited _,
                    AccessDecision.Unauthenticated _,
                    AccessDecision.Unavailable _ ->
                    all;
        };
    }

    private AccessDecision limited(
            AccessDecision.Forbidden denial,
            String key,
            Permission.OnResource wanted,
            NamespaceCheck each)
            throws InterruptedException {
        PopulatedNamespaces populated = directory.get().populated(wanted);
        if (!populated.known()) {
            return new AccessDecision.Limited(
                    denial.identity().name(), NamespaceLimit.unknown(), denial);
        }
        if (populated.names().size() > MAX_NAMESPACES) {
            return denial;
        }
        String user = "";
        Set<String> permitted = new HashSet<>();
        for (String namespace : candidates(key, populated)) {
            switch (each.check(wanted.in(namespace))) {
                case AccessDecision.Admitted(var name, _) -> {
                    user = name;
                    permitted.add(namespace);
                }
                case AccessDecision.Forbidden _, AccessDecision.Limited _ -> {}
                case AccessDecision.Unauthenticated unknown -> {
                    return unknown;
                }
                case AccessDecision.Unavailable unavailable -> {
                    return unavailable;
                }
            }
        }
        return permitted.isEmpty()
                ? denial
                : new AccessDecision.Limited(
                        user, remembered(key, wanted, NamespaceLimit.to(permitted)), denial);
    }

    /** A namespace in which the client may read remains one when its last object is deleted. */
    private Set<String> candidates(String key, PopulatedNamespaces populated) {
        Set<String> all = new TreeSet<>(populated.names());
        NamespaceLimit before = limits.getIfPresent(key);
        if (before != null) {
            before.namespaces().ifPresent(all::addAll);
        }
        return all.size() > MAX_NAMESPACES ? populated.names() : all;
    }

    /** Returns what takes the place of the limit that the client had, null if it had none. */
    private @Nullable NamespaceLimit lifted(String key, Permission.OnResource wanted) {
        return limits.getIfPresent(key) == null
                ? null
                : remembered(key, wanted, NamespaceLimit.toNone());
    }

    /** Returns the limit that the client has already if it is the same, otherwise begins it. */
    private NamespaceLimit remembered(
            String key, Permission.OnResource wanted, NamespaceLimit found) {
        NamespaceLimit now =
                limits.asMap()
                        .merge(
                                key,
                                found,
                                (before, other) ->
                                        before.namespaces().equals(other.namespaces())
                                                ? before
                                                : replaced(before, other));
        if (now == found) {
            found.begin(directory.get().populated(wanted).revision());
        }
        return now;
    }

    private static NamespaceLimit replaced(NamespaceLimit before, NamespaceLimit now) {
        before.end();
        return now;
    }
}
