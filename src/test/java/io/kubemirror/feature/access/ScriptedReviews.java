package io.kubemirror.feature.access;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.http.AccessControl;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.feature.access.AccessProperties.AuthenticationMethod;
import io.kubemirror.feature.access.AccessProperties.AuthorizationMode;
import io.kubemirror.kube.ReviewApi;
import io.kubemirror.kube.ReviewApi.AccessReview;
import io.kubemirror.model.Identity;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Permission;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.testing.MirrorSets;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** An API server with scripted reviews. */
final class ScriptedReviews implements ReviewApi {

    private static final Failure AWAY =
            new Failure.Unreachable("connection refused", Failure.Unreachable.Kind.REFUSED);

    private final Map<String, Identity> tokens = new ConcurrentHashMap<>();
    private final Set<String> permitted = ConcurrentHashMap.newKeySet();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean away;
    private volatile boolean defective;
    private volatile Runnable before = () -> {};

    /** From now on this is a token of a user. */
    public void know(String token, String user) {
        know(token, new Identity(user, "", List.of(Identity.AUTHENTICATED), Map.of()));
    }

    /** From now on this is a token of an identity. */
    void know(String token, Identity identity) {
        tokens.put(token, identity);
    }

    /** Revokes a token. */
    public void forget(String token) {
        tokens.remove(token);
    }

    /** From now on a user or a group may do what they like. */
    public void permit(String user) {
        permitted.add(user);
    }

    /** From now on a user may do what they like in a namespace. */
    public void permit(String user, String namespace) {
        permitted.add(user + " in " + namespace);
    }

    /** From now on a user may list in a namespace, and not watch. */
    void permitList(String user, String namespace) {
        permitted.add(user + " lists in " + namespace);
    }

    /** From now on a user may do what they like with objects of a name. */
    void permitNamed(String user, String name) {
        permitted.add(user + " named " + name);
    }

    /** From now on a user may do nothing in a namespace, unless they may do what they like. */
    void forbid(String user, String namespace) {
        permitted.remove(user + " in " + namespace);
    }

    /** From now on a user may do nothing. */
    public void forbid(String user) {
        permitted.remove(user);
    }

    /** From now on the server does not answer, or does again. */
    public void away(boolean whether) {
        away = whether;
    }

    /** From now on each review ends with an exception, or does not again. */
    public void defective(boolean whether) {
        defective = whether;
    }

    /** From now on this runs before each review of a token. */
    void before(Runnable event) {
        before = event;
    }

    /** How many questions have been asked. */
    public int asked() {
        return asked.get();
    }

    @Override
    public Result<Optional<Identity>> identify(BearerToken token, Duration limit) {
        before.run();
        asked.incrementAndGet();
        if (defective) {
            throw new IllegalStateException("a defect");
        }
        if (away) {
            return Result.failed(AWAY);
        }
        Identity found = tokens.get(token.value());
        return found == null ? Result.of(Optional.empty()) : Result.of(Optional.of(found));
    }

    @Override
    public Result<AccessReview> review(Identity identity, Permission permission, Duration limit) {
        asked.incrementAndGet();
        if (away) {
            return Result.failed(AWAY);
        }
        boolean allowed =
                Stream.concat(Stream.of(identity.name()), identity.groups().stream())
                        .anyMatch(subject -> isAllowed(subject, permission));
        return allowed
                ? Result.of(new AccessReview(true, ""))
                : Result.of(new AccessReview(false, "not today"));
    }

    private boolean isAllowed(String subject, Permission permission) {
        return permitted.contains(subject)
                || (permission instanceof Permission.OnResource wanted
                        && (permitted.contains(subject + " in " + wanted.namespace())
                                || permitted.contains(subject + " named " + wanted.name())
                                || (wanted.verb() == Permission.Verb.LIST
                                        && permitted.contains(
                                                subject + " lists in " + wanted.namespace()))));
    }

    @Override
    public Result<Optional<AccessReview>> review(
            BearerToken token, Permission permission, Duration limit) {
        return identify(token, limit)
                .then(
                        owner ->
                                owner.isEmpty()
                                        ? Result.of(Optional.empty())
                                        : review(owner.get(), permission, limit)
                                                .then(review -> Result.of(Optional.of(review))));
    }

    @Override
    public Result<Optional<Identity>> owner(BearerToken token, Duration limit) {
        return identify(token, limit);
    }

    /**
     * Creates an access control that rechecks continuously.
     *
     * @param nanos decides how long results are cached
     * @param allowed how long a permission is cached
     * @param grace how long a permission is used while it cannot be reviewed
     */
    public AccessControl rechecking(LongSupplier nanos, Duration allowed, Duration grace) {
        return rechecking(nanos, allowed, grace, false, nothing());
    }

    /** Creates one that limits clients to the namespaces in which they may read. */
    AccessControl limiting(
            LongSupplier nanos,
            Duration allowed,
            Duration grace,
            Supplier<MirrorDirectory> directory) {
        return rechecking(nanos, allowed, grace, true, directory);
    }

    private AccessControl rechecking(
            LongSupplier nanos,
            Duration allowed,
            Duration grace,
            boolean limiting,
            Supplier<MirrorDirectory> directory) {
        return new GuardedAccess(
                new AccessProperties(
                        List.of(AuthenticationMethod.TOKEN_REVIEW),
                        AuthorizationMode.ACCESS_REVIEW,
                        List.of(),
                        null,
                        limiting,
                        Duration.ofSeconds(20),
                        Duration.ofMillis(5),
                        new AccessProperties.Cache(allowed, Duration.ZERO, grace, 1_000)),
                new GuardedAccess.Dependencies(
                        () -> this,
                        new SimpleMeterRegistry(),
                        task -> Thread.ofVirtual().start(task),
                        InstantSource.system(),
                        nanos,
                        MemoryBudget.ofProcess(1 << 24)),
                directory);
    }

    /** Mirrors nothing. */
    static Supplier<MirrorDirectory> nothing() {
        MirrorDirectory directory =
                new MirrorDirectory(
                        MirrorSets.of(List.of()), ApiFixture.POLICIES, () -> 0, () -> false);
        return () -> directory;
    }
}
