package io.kubemirror.feature.demand;

import module java.base;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.OnDemandTypes;
import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.app.MirrorDefinition;
import io.kubemirror.app.MirrorLifecycle;
import io.kubemirror.kube.KubeClient;
import io.kubemirror.kube.ReviewClient.AccessReview;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.PeriodicThread;
import io.kubemirror.model.PeriodicThread.Sleeper;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts mirrors with the first request for their type, each on a thread of its own, and ends those
 * that are idle, that the API server does not have any more, or whose memory another one needs. No
 * request waits for any of it (list-watch.md#od-1 to #od-6).
 *
 * <p>Safe for use by any thread.
 */
final class OnDemandMirrors implements OnDemandTypes, SmartLifecycle, MeterBinder {

    private static final Logger log = LoggerFactory.getLogger(OnDemandMirrors.class);

    private static final Duration SWEEP = Duration.ofSeconds(1);

    /** How long it is remembered that a type cannot be mirrored. */
    private static final Duration MAX_REFUSAL = Duration.ofMinutes(1);

    private static final int MAX_REFUSALS = 1_000;

    private final Configured configured;
    private final MirrorLifecycle lifecycle;
    private final Source api;
    private final WatchRegistry watchers;
    private final LongSupplier nanos;
    private final Executor threads;

    /** The types that have mirrors. */
    private final Map<RequestPath.Resource, DemandedType> demanded = new ConcurrentHashMap<>();

    /** The resources whose mirrors are being created. */
    private final Set<RequestPath.Resource> starting = ConcurrentHashMap.newKeySet();

    /** The resources that cannot be mirrored. */
    private final Cache<RequestPath.Resource, Boolean> refused =
            Caffeine.newBuilder()
                    .expireAfterWrite(MAX_REFUSAL)
                    .maximumSize(MAX_REFUSALS)
                    .executor(Runnable::run)
                    .build();

    /** Whether a thread ends a mirror for the memory of another. */
    private final AtomicBoolean reclaiming = new AtomicBoolean();

    private final PeriodicThread sweeper;

    /**
     * The configuration.
     *
     * @param resources the resources on demand, in its order
     * @param always the names of the mirrors that start with the process
     */
    record Configured(List<OnDemandResource> resources, List<ResourceName> always) {}

    /**
     * Creates mirrors on demand, of which none has started.
     *
     * @param api tells types, definitions, and permissions
     * @param nanos a monotonic clock in nanoseconds
     * @param threads runs each task immediately, on a thread of its own
     */
    OnDemandMirrors(
            Configured configured,
            MirrorLifecycle lifecycle,
            Source api,
            WatchRegistry watchers,
            LongSupplier nanos,
            Executor threads,
            Sleeper sleeper) {
        this.configured = configured;
        this.lifecycle = lifecycle;
        this.api = api;
        this.watchers = watchers;
        this.nanos = nanos;
        this.threads = threads;
        this.sweeper = new PeriodicThread("on-demand", this::sweepAndWait, SWEEP, sleeper);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("kubemirror.on.demand.types", demanded, Map::size)
                .description("Types that are mirrored on demand at present")
                .register(registry);
    }

    @Override
    public Presence use(RequestPath.Resource resource) {
        DemandedType present = demanded.get(resource);
        if (present != null) {
            present.use(nanos.getAsLong());
            return present.isReady() ? Presence.READY : Presence.PENDING;
        }
        return isPossible(resource) && !isMirrored(resource) ? Presence.PENDING : Presence.OTHER;
    }

    private boolean isPossible(RequestPath.Resource resource) {
        return refused.getIfPresent(resource) == null
                && configured.resources().stream().anyMatch(one -> one.mayCover(resource));
    }

    private boolean isMirrored(RequestPath.Resource resource) {
        return lifecycle.mirrors().named(resource.plural()).stream()
                .anyMatch(mirror -> mirror.type().filter(resource::isOf).isPresent());
    }

    @Override
    public void demand(RequestPath.Resource resource) {
        boolean needed =
                use(resource) == Presence.PENDING
                        && !demanded.containsKey(resource)
                        && starting.add(resource);
        if (!needed) {
            return;
        }
        try {
            threads.execute(() -> create(resource));
        } catch (RuntimeException | Error noThread) {
            starting.remove(resource);
            throw noThread;
        }
    }

    private void create(RequestPath.Resource resource) {
        try {
            // What cannot be asked now is asked by the next request.
            if (!demanded.containsKey(resource)
                    && api.types() instanceof Result.Success(var found)) {
                create(resource, DiscoveredTypes.of(found));
            }
        } catch (RuntimeException | Error bug) {
            log.error("Cannot mirror {} on demand", resource.plural(), bug);
        } finally {
            starting.remove(resource);
        }
    }

    private void create(RequestPath.Resource resource, DiscoveredTypes discovered) {
        ResourceType type = discovered.find(resource).orElse(null);
        OnDemandResource element = type == null ? null : covering(type, discovered).orElse(null);
        if (type == null || element == null) {
            refused.put(resource, true);
            return;
        }
        ResourceName name = discovered.nameOf(type);
        List<MirrorDefinition> definitions = element.definitions(name);
        if (!isPermitted(name, type, definitions)) {
            refused.put(resource, true);
            return;
        }
        List<Mirror> mirrors = lifecycle.add(definitions, type, declared(type));
        demanded.put(
                new RequestPath.Resource(type.group(), type.version(), type.plural()),
                new DemandedType(name, mirrors, element.idle(), nanos.getAsLong()));
        lifecycle.begin(mirrors);
        log.info("{}: mirrored on demand", name);
    }

    /**
     * Returns the element that mirrors a type. A name comes before a pattern, and a mirror that
     * starts with the process before both.
     */
    private Optional<OnDemandResource> covering(ResourceType type, DiscoveredTypes discovered) {
        if (configured.always().stream().anyMatch(name -> discovered.isNameOf(name, type))) {
            return Optional.empty();
        }
        Optional<OnDemandResource> named =
                configured.resources().stream()
                        .filter(one -> !one.isPattern())
                        .filter(one -> discovered.isNameOf(new ResourceName(one.resource()), type))
                        .findFirst();
        return named.or(
                () ->
                        configured.resources().stream()
                                .filter(one -> one.isPattern() && one.covers(type))
                                .findFirst());
    }

    /** A review that fails does not decide; the request for the objects will. */
    private boolean isPermitted(
            ResourceName name, ResourceType type, List<MirrorDefinition> definitions) {
        for (MirrorDefinition definition : definitions) {
            for (Verb verb : List.of(Verb.LIST, Verb.WATCH)) {
                Permission wanted =
                        Permission.of(verb, type, definition.scope().selection().namespace());
                Result<AccessReview> answer =
                        api.as(KubeClient.class).map(one -> one.access(wanted)).orElse(null);
                if (answer instanceof Result.Success(var review) && !review.allowed()) {
                    log.warn(
                            "{}: not mirrored on demand: kubemirror's user {}",
                            name,
                            wanted.denialMessage());
                    return false;
                }
            }
        }
        return true;
    }

    /** What cannot be read now is read by the reflector. */
    private DeclaredFields declared(ResourceType type) {
        return !type.builtIn() && api.definition(type) instanceof Result.Success(var definition)
                ? new DeclaredFields(definition.selectable(), definition.listKind())
                : DeclaredFields.NONE;
    }

    /**
     * Requests the end of the mirrors that were used least recently, for the memory of another.
     * Called on the thread of its writer, which waits for nothing: another thread ends them, one
     * type at a time, and the memory comes back when they are gone.
     *
     * @return whether memory will be returned
     */
    boolean reclaim(Mirror needing) {
        if (oldest(needing).isEmpty()) {
            return reclaiming.get();
        }
        if (reclaiming.compareAndSet(false, true)) {
            threads.execute(() -> reclaimFor(needing));
        }
        return true;
    }

    private void reclaimFor(Mirror needing) {
        try {
            sweep();
            oldest(needing)
                    .ifPresent(
                            one ->
                                    end(
                                            one.getKey(),
                                            one.getValue(),
                                            "another mirror needs its memory"));
        } catch (RuntimeException | Error bug) {
            log.error("Cannot end mirrors on demand", bug);
        } finally {
            reclaiming.set(false);
        }
    }

    /** Returns the type that was used least recently, and before the one of a mirror. */
    private Optional<Map.Entry<RequestPath.Resource, DemandedType>> oldest(Mirror needing) {
        // Requests change the times meanwhile, so each is read once.
        Map<Map.Entry<RequestPath.Resource, DemandedType>, Long> uses = new HashMap<>();
        demanded.entrySet().forEach(one -> uses.put(one, one.getValue().lastUse()));
        long newest =
                uses.entrySet().stream()
                        .filter(use -> use.getKey().getValue().mirrors().contains(needing))
                        .mapToLong(Map.Entry::getValue)
                        .findFirst()
                        .orElse(Long.MAX_VALUE);
        return uses.entrySet().stream()
                .filter(use -> use.getValue() < newest)
                .filter(use -> !use.getKey().getValue().mirrors().contains(needing))
                .min(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey);
    }

    /** Ends the mirrors that are idle, or whose type is gone. */
    private void sweep() {
        demanded.forEach(
                (resource, type) -> {
                    long now = nanos.getAsLong();
                    if (type.isGone()) {
                        end(resource, type, "the API server does not have it");
                    } else if (type.isInUse(watchers)) {
                        type.use(now);
                    } else if (type.isIdle(now)) {
                        end(resource, type, "it is idle");
                    }
                });
    }

    private Duration sweepAndWait() {
        sweep();
        return SWEEP;
    }

    /** A request that comes meanwhile is passed on, or gets 429. */
    private void end(RequestPath.Resource resource, DemandedType type, String why) {
        if (!type.end()) {
            return;
        }
        try {
            lifecycle.remove(type.mirrors());
        } finally {
            demanded.remove(resource, type);
        }
        log.info("{}: no longer mirrored on demand: {}", type.name(), why);
    }

    @Override
    public void start() {
        if (!isRunning()) {
            sweeper.start();
        }
    }

    @Override
    public void stop() {
        sweeper.stop(Duration.ZERO);
    }

    @Override
    public boolean isRunning() {
        return sweeper.isRunning();
    }
}
