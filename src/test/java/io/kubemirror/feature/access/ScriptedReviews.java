package io.kubemirror.feature.access;

import module java.base;

import io.kubemirror.api.FakeForwardingApi;
import io.kubemirror.api.http.AccessControl;
import io.kubemirror.app.AccessProperties;
import io.kubemirror.app.AccessProperties.AuthenticationMethod;
import io.kubemirror.kube.ReviewClient;
import io.kubemirror.kube.ReviewClient.AccessReview;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;
import io.kubemirror.source.Result;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** An API server with scripted reviews. */
final class ScriptedReviews extends ReviewClient {

    private final Map<String, Identity> tokens = new ConcurrentHashMap<>();
    private final Set<String> permitted = ConcurrentHashMap.newKeySet();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean away;
    private volatile boolean defective;
    private volatile Runnable before = () -> {};

    ScriptedReviews() {
        super(new FakeForwardingApi());
    }

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
    public Result<Optional<Identity>> identify(
            String token, List<String> audiences, Duration limit) {
        before.run();
        asked.incrementAndGet();
        if (defective) {
            throw new IllegalStateException("a defect");
        }
        if (away) {
            return Result.failed(FakeForwardingApi.AWAY);
        }
        Identity found = tokens.get(token);
        return found == null ? Result.of(Optional.empty()) : Result.of(Optional.of(found));
    }

    @Override
    public Result<AccessReview> review(Identity identity, Permission permission, Duration limit) {
        asked.incrementAndGet();
        if (away) {
            return Result.failed(FakeForwardingApi.AWAY);
        }
        boolean allowed =
                Stream.concat(Stream.of(identity.name()), identity.groups().stream())
                        .anyMatch(permitted::contains);
        return allowed
                ? Result.of(new AccessReview(true, ""))
                : Result.of(new AccessReview(false, "not today"));
    }

    @Override
    public Result<Optional<AccessReview>> reviewOwner(
            String token, Permission permission, Duration limit) {
        return identify(token, List.of(), limit)
                .then(
                        owner ->
                                owner.isEmpty()
                                        ? Result.of(Optional.empty())
                                        : review(owner.get(), permission, limit)
                                                .then(review -> Result.of(Optional.of(review))));
    }

    @Override
    public Result<Optional<Identity>> owner(String token, Duration limit) {
        return identify(token, List.of(), limit);
    }

    /**
     * Creates an access control that rechecks as often as it may.
     *
     * @param nanos decides how long results are cached
     * @param allowed how long a permission is cached
     * @param grace how long a permission is used while it cannot be reviewed
     */
    public AccessControl rechecking(LongSupplier nanos, Duration allowed, Duration grace) {
        return access(
                new AccessProperties.Cache(allowed, Duration.ZERO, grace),
                Duration.ofSeconds(1),
                new SimpleMeterRegistry(),
                task -> Thread.ofVirtual().start(task),
                nanos);
    }

    /** Creates an access control that this server decides for. */
    GuardedAccess access(
            AccessProperties.Cache cache,
            Duration recheckInterval,
            MeterRegistry registry,
            Executor executor,
            LongSupplier nanos) {
        AccessProperties properties = properties(recheckInterval, cache);
        return new GuardedAccess(
                properties,
                new ClientCertificates(InstantSource.system()),
                new Reviewer(this, properties, registry, executor, nanos::getAsLong));
    }

    static AccessProperties properties(Duration recheckInterval, AccessProperties.Cache cache) {
        return new AccessProperties(
                List.of(AuthenticationMethod.TOKEN_REVIEW), List.of(), recheckInterval, cache);
    }
}
