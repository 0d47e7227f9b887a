package io.kubemirror.feature.demand;

import module java.base;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.ReadPolicy.ReadsAtStart;
import io.kubemirror.api.watch.WatcherDirectory;
import io.kubemirror.app.MirrorDefinition;
import io.kubemirror.app.MirrorLifecycle;
import io.kubemirror.app.ResourceExtension.DeferredResource;
import io.kubemirror.kube.ReviewApi.AccessReview;
import io.kubemirror.kube.ServerApi;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.DefinitionApi;
import io.kubemirror.source.Source.DefinitionApi.ResourceDefinition;

import java.util.concurrent.Future.State;

/**
 * A type that has mirrors on demand, from the first request until they end. A type that is asked
 * for again after the end has another instance.
 *
 * <p>Safe for use by any thread.
 */
final class DemandedType {

    /** How long the mirrors wait at most for the end of the first answer of the API server. */
    private static final long MAX_DEFERRAL = Duration.ofSeconds(1).toNanos();

    private final ResourceName name;
    private final ResourceType type;

    private final OnDemandResource element;

    private final MirrorLifecycle lifecycle;
    private final Source api;
    private final LongSupplier nanos;
    private final long born;

    private final LastUse lastUse;

    /** Creates the mirrors on the thread of the first request, for which others wait. */
    private final FutureTask<List<Mirror>> creation;

    /** Opens when the mirrors have ended. */
    private final CountDownLatch ended = new CountDownLatch(1);

    /** Whether the reflectors may read the API server. */
    private final AtomicBoolean begun = new AtomicBoolean();

    /**
     * When mirrors were used last, or that they have ended. A request sets the time, and an end
     * replaces the time that it has seen, each in one atomic step: a mirror that a request has used
     * does not end, and one that ends is not used.
     */
    static final class LastUse {

        private static final long ENDED = Long.MIN_VALUE;

        private final AtomicLong time;

        LastUse(long now) {
            this.time = new AtomicLong(now);
        }

        /** Records a use; returns false after the end. Each use is later than all before. */
        boolean use(long now) {
            return time.accumulateAndGet(
                            now, (last, use) -> last == ENDED ? ENDED : Math.max(last + 1, use))
                    != ENDED;
        }

        /** Records the end; returns false after a use later than the observed one, or the end. */
        boolean end(long observed) {
            return observed != ENDED && time.compareAndSet(observed, ENDED);
        }

        /** Returns the time of the last use, of no meaning after the end. */
        long time() {
            return time.get();
        }

        boolean isEnded() {
            return time.get() == ENDED;
        }
    }

    /**
     * Creates a type without mirrors.
     *
     * @param name the name of the mirrors
     * @param element the configuration
     * @param api tells the permissions and the definition of the type
     * @param nanos a monotonic clock in nanoseconds
     * @param created called when the mirrors have been created
     */
    DemandedType(
            ResourceName name,
            ResourceType type,
            OnDemandResource element,
            MirrorLifecycle lifecycle,
            Source api,
            LongSupplier nanos,
            Consumer<DemandedType> created) {
        this.name = name;
        this.type = type;
        this.element = element;
        this.lifecycle = lifecycle;
        this.api = api;
        this.nanos = nanos;
        this.born = nanos.getAsLong();
        this.lastUse = new LastUse(born);
        this.creation =
                new FutureTask<>(
                        () -> {
                            List<Mirror> added = lifecycle.add(definitions(), type, declared());
                            created.accept(this);
                            return added;
                        });
    }

    ResourceName name() {
        return name;
    }

    ResourceType type() {
        return type;
    }

    /** Records a request; returns false if there are no mirrors yet, or they have ended. */
    boolean use(long now) {
        return hasMirrors() && lastUse.use(now);
    }

    /** Returns whether the mirrors have been created. */
    boolean hasMirrors() {
        return !mirrors().isEmpty();
    }

    private List<Mirror> mirrors() {
        return creation.state() == State.SUCCESS ? creation.resultNow() : List.of();
    }

    /**
     * Creates the mirrors, once.
     *
     * @param waits whether the request waits for the mirror
     * @return false if they have ended
     * @throws Rejection if kubemirror may not mirror the type
     */
    boolean start(boolean waits) throws Rejection, InterruptedException {
        creation.run();
        try {
            var _ = creation.get();
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof Rejection denied) {
                throw denied;
            }
            throw new IllegalStateException(failed);
        }
        boolean used = use(nanos.getAsLong());
        if (used && (waits || !isProxied())) {
            begin();
        }
        return used;
    }

    /** Waits until the mirrors, which are to end, have ended. */
    void awaitEnd() throws InterruptedException {
        ended.await();
    }

    private List<MirrorDefinition> definitions() throws Rejection {
        List<MirrorDefinition> definitions = element.definitions().apply(name);
        for (MirrorDefinition definition : definitions) {
            for (Verb verb : List.of(Verb.LIST, Verb.WATCH)) {
                require(Permission.of(verb, type, definition.scope().namespace()));
            }
        }
        return definitions;
    }

    /** A review that fails does not decide; the request for the objects will. */
    private void require(Permission permission) throws Rejection {
        Result<AccessReview> answer =
                api.as(ServerApi.class).map(server -> server.access(permission)).orElse(null);
        if (answer instanceof Result.Success(var review) && !review.allowed()) {
            throw new Rejection(
                    StatusErrors.forbidden(
                            type, "", "kubemirror's user " + permission.denialMessage()));
        }
    }

    /** What cannot be read now is read by the reflector. */
    private DeclaredFields declared() {
        Result<ResourceDefinition> answer =
                type.builtIn()
                        ? null
                        : api.as(DefinitionApi.class).map(one -> one.definition(type)).orElse(null);
        return answer instanceof Result.Success(var definition)
                ? new DeclaredFields(definition.selectable(), "")
                : DeclaredFields.NONE;
    }

    private boolean isProxied() {
        return mirrors().stream()
                .flatMap(mirror -> lifecycle.definition(mirror).stream())
                .allMatch(definition -> definition.reads().start() == ReadsAtStart.PROXIED);
    }

    /** Lets the reflectors read the API server, once. */
    void begin() {
        if (hasMirrors() && begun.compareAndSet(false, true)) {
            lifecycle.begin(mirrors());
        }
    }

    /** Begins if the first answer takes long. */
    void beginBy(long now) {
        if (now - born > MAX_DEFERRAL) {
            begin();
        }
    }

    boolean has(Mirror mirror) {
        return mirrors().contains(mirror);
    }

    /** Returns the time of the last request on the clock, of no meaning after the end. */
    long lastUse() {
        return lastUse.time();
    }

    boolean isEnded() {
        return lastUse.isEnded();
    }

    /** Returns whether the API server does not have the type. */
    boolean isGone() {
        List<Mirror> present = mirrors();
        return !present.isEmpty()
                && present.stream().allMatch(mirror -> mirror.upstream().phase() == Phase.ABSENT);
    }

    /** Watches use a mirror, and so does what waits for the first synchronization. */
    boolean isInUse(WatcherDirectory watchers) {
        return !hasMirrors()
                || mirrors().stream()
                        .anyMatch(mirror -> watchers.isWatched(mirror) || isStarting(mirror));
    }

    private static boolean isStarting(Mirror mirror) {
        Phase phase = mirror.upstream().phase();
        return mirror.snapshot().isEmpty()
                && (phase == Phase.RESOLVING || phase == Phase.SYNCHRONIZING);
    }

    /** Returns whether nothing has used the mirrors for the configured time. */
    boolean isIdle(long lastUsed, long now) {
        return now - lastUsed >= element.idle().toNanos();
    }

    /**
     * Ends the mirrors, if there are any, unless they were used after the given time. A request
     * that comes meanwhile waits, and then finds that they have ended.
     *
     * @param forget called when they have ended, before any waiting request continues
     * @return whether they have ended now
     */
    boolean end(long observed, Runnable forget) {
        if (!hasMirrors() || !lastUse.end(observed)) {
            return false;
        }
        try {
            lifecycle.remove(mirrors());
        } finally {
            forget.run();
            ended.countDown();
        }
        return true;
    }

    /**
     * An element of {@code kubemirror.resources} whose mirrors start with the first request: one
     * resource, or a pattern for many.
     *
     * @param resource the resource as configured, or the pattern
     * @param idle how long a mirror may be without requests and watches
     * @param clusterScoped whether a pattern includes types that are not in namespaces
     * @param secrets whether a pattern includes Secrets
     * @param definitions returns the mirrors of one resource
     */
    record OnDemandResource(
            String resource,
            Duration idle,
            boolean clusterScoped,
            boolean secrets,
            Function<ResourceName, List<MirrorDefinition>> definitions)
            implements DeferredResource {

        /** These have the same events. */
        private static final List<String> EVENT_GROUPS = List.of("", "events.k8s.io");

        private static final Pattern SYNTAX =
                Pattern.compile(
                        "\\*(\\.([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?)?");

        /** Returns whether the name of a resource is meant as a pattern. */
        static boolean isPattern(String resource) {
            return resource.startsWith("*");
        }

        @Override
        public boolean isPattern() {
            return isPattern(resource);
        }

        /** Returns whether a pattern is {@code *}, {@code *.}, or {@code *.group}. */
        static boolean isValid(String pattern) {
            return SYNTAX.matcher(pattern).matches();
        }

        @Override
        public boolean mayCover(String group, String plural) {
            if (isPattern()) {
                String own = resource.equals("*") ? group : resource.substring(2);
                return own.equals(group)
                        || (plural.equals("events")
                                && EVENT_GROUPS.containsAll(List.of(own, group)));
            }
            return new ResourceName(resource).plural().equals(plural);
        }

        /** Returns whether a pattern is for a type. */
        boolean covers(ResourceType type) {
            boolean secret = type.group().isEmpty() && type.plural().equals("secrets");
            boolean excluded = (secret && !secrets) || (!type.namespaced() && !clusterScoped);
            return mayCover(type.group(), type.plural()) && !excluded;
        }
    }
}
