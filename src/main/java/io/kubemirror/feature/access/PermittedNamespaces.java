package io.kubemirror.feature.access;

import module java.base;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import io.kubemirror.api.http.AccessControl.AccessDecision;
import io.kubemirror.api.http.NamespaceLimit;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.read.MirrorDirectory.PopulatedNamespaces;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;

/**
 * Limits clients that ask for all namespaces to those in which they may read (list-watch.md#pn-1).
 *
 * <p>Lists and watches share a limit: the namespaces in which the client may list. It needs the
 * permission to watch in each of them as well. The limit of each client is remembered, also of one
 * that may read all namespaces, so that a client that continues does not have to list again. One
 * whose limit is not known does.
 */
final class PermittedNamespaces {

    /** The maximum number of namespaces that are reviewed for a request (list-watch.md#pn-2). */
    static final int MAX_NAMESPACES = 250;

    /** The memory of a namespace in a limit, in bytes: its entry, and its name. */
    private static final int NAMESPACE = 128;

    private final Supplier<MirrorDirectory> directory;
    private final Cache<String, NamespaceLimit> limits;

    /** Decides about a permission for all namespaces, or for one, without a limit. */
    @FunctionalInterface
    interface PermissionCheck {

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
     * Decides about a client that asks for all namespaces.
     *
     * @param client a digest of who the client is
     * @param wanted a permission to list or watch all namespaces
     * @throws InterruptedException if the thread is interrupted while it waits for a review
     */
    AccessDecision limit(String client, Permission.OnResource wanted, PermissionCheck checks)
            throws InterruptedException {
        Permission.OnResource list =
                new Permission.OnResource(
                        Verb.LIST,
                        wanted.group(),
                        wanted.version(),
                        wanted.resource(),
                        wanted.namespace(),
                        wanted.name());
        String key = client + list;
        AccessDecision all = checks.check(list);
        AccessDecision decision =
                switch (all) {
                    case AccessDecision.Admitted(var user, _) ->
                            new AccessDecision.Admitted(
                                    user, remembered(key, NamespaceLimit.toNone()));
                    case AccessDecision.Forbidden denial -> reviewed(denial, key, list, checks);
                    case AccessDecision.Unavailable away -> confirmed(away, key, list, checks);
                    case AccessDecision.Limited _, AccessDecision.Unauthenticated _ -> all;
                };
        return wanted.verb() == Verb.LIST ? decision : watched(decision, wanted, checks);
    }

    /** Returns the decision about the watch of a client with a decision about its list. */
    private static AccessDecision watched(
            AccessDecision listed, Permission.OnResource wanted, PermissionCheck checks)
            throws InterruptedException {
        switch (listed) {
            case AccessDecision.Admitted _ -> {
                AccessDecision all = checks.check(wanted);
                return all instanceof AccessDecision.Admitted ? listed : all;
            }
            case AccessDecision.Limited(var user, var limit, var denial) -> {
                for (String namespace : limit.namespaces().orElseThrow()) {
                    AccessDecision one = checks.check(wanted.in(namespace));
                    if (!(one instanceof AccessDecision.Admitted)) {
                        return one;
                    }
                }
                return new AccessDecision.Limited(
                        user,
                        limit,
                        new AccessDecision.Forbidden(denial.identity(), wanted, denial.reason()));
            }
            case AccessDecision.Forbidden _,
                    AccessDecision.Unauthenticated _,
                    AccessDecision.Unavailable _ -> {
                return listed;
            }
        }
    }

    /**
     * Returns the limit that a client has while the API server is away, if its permission in each
     * namespace is still valid. That it may not read the others is forgotten sooner.
     */
    private AccessDecision confirmed(
            AccessDecision.Unavailable away,
            String key,
            Permission.OnResource list,
            PermissionCheck checks)
            throws InterruptedException {
        NamespaceLimit limit = limits.getIfPresent(key);
        if (limit == null || limit.namespaces().isEmpty()) {
            return away;
        }
        String user = "";
        for (String namespace : limit.namespaces().get()) {
            if (!(checks.check(list.in(namespace))
                    instanceof AccessDecision.Admitted(var name, _))) {
                return away;
            }
            user = name;
        }
        Identity identity = new Identity(user, "", List.of(), Map.of());
        return new AccessDecision.Limited(
                user, limit, new AccessDecision.Forbidden(identity, list, ""));
    }

    private AccessDecision reviewed(
            AccessDecision.Forbidden denial,
            String key,
            Permission.OnResource list,
            PermissionCheck checks)
            throws InterruptedException {
        PopulatedNamespaces populated = directory.get().populated(list);
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
            switch (checks.check(list.in(namespace))) {
                case AccessDecision.Admitted(var name, _) -> {
                    user = name;
                    permitted.add(namespace);
                }
                case AccessDecision.Forbidden _, AccessDecision.Limited _ -> {}
                case AccessDecision.Unauthenticated unknown -> {
                    return unknown;
                }
                case AccessDecision.Unavailable away -> {
                    return confirmed(away, key, list, checks);
                }
            }
        }
        return permitted.isEmpty()
                ? denial
                : new AccessDecision.Limited(
                        user, remembered(key, NamespaceLimit.to(permitted)), denial);
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

    /** Returns the limit that the client has already if it is the same, otherwise the new one. */
    private NamespaceLimit remembered(String key, NamespaceLimit found) {
        NamespaceLimit known = limits.getIfPresent(key);
        if (known != null && known.namespaces().equals(found.namespaces())) {
            return known;
        }
        return limits.asMap()
                .merge(
                        key,
                        found,
                        (before, now) ->
                                before.namespaces().equals(now.namespaces())
                                        ? before
                                        : replaced(before, now));
    }

    private static NamespaceLimit replaced(NamespaceLimit before, NamespaceLimit now) {
        before.end();
        return now;
    }
}
