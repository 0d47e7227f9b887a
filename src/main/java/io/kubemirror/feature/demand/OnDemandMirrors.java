package io.kubemirror.feature.demand;

import static java.util.Map.Entry.comparingByValue;
import static java.util.stream.Collectors.toMap;

import module java.base;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.OnDemandTypes;
import io.kubemirror.api.watch.WatcherDirectory;
import io.kubemirror.app.ConfiguredResource;
import io.kubemirror.app.MirrorDefinition;
import io.kubemirror.app.MirrorLifecycle;
import io.kubemirror.app.config.BoundRecords;
import io.kubemirror.feature.demand.DemandedType.OnDemandResource;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Names;
import io.kubemirror.model.PeriodicThread;
import io.kubemirror.model.PeriodicThread.Sleeper;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.source.Source;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts mirrors with the first request for their type, and ends those that are idle, that the API
 * server does not have any more, or whose memory another one needs.
 *
 * <p>A type without requests costs its description. A request for an unknown type asks the API
 * server for its types, at most once per second: a new type is found when it is needed.
 *
 * <p>Safe for use by any thread.
 */
final class OnDemandMirrors implements OnDemandTypes, SmartLifecycle, MeterBinder {

    private static final Logger log = LoggerFactory.getLogger(OnDemandMirrors.class);

    private static final Duration SWEEP = Duration.ofSeconds(1);

    private final MirrorLifecycle lifecycle;
    private final Source api;
    private final DiscoveredTypes discovered;
    private final WatcherDirectory watchers;
    private final LongSupplier nanos;

    /** The types that have mirrors, or are about to have some. */
    private final Map<RequestPath.Resource, DemandedType> demanded = new ConcurrentHashMap<>();

    /** Whether a thread ends a mirror for the memory of another. Set by the one that starts it. */
    private final AtomicBoolean reclaiming = new AtomicBoolean();

    private final AtomicLong starts = new AtomicLong();
    private final Map<Cause, AtomicLong> ends =
            Stream.of(Cause.values()).collect(toMap(cause -> cause, _ -> new AtomicLong()));

    private final Configured configured;

    private final PeriodicThread sweeper;

    /** Why a mirror on demand ends. */
    private enum Cause {
        /** It has not been used. */
        IDLE,
        /** Another mirror needed its memory. */
        MEMORY,
        /** The API server does not have the type any more. */
        ABSENT
    }

    /**
     * The resources on demand, the mirrors that start with the process, and what no pattern may
     * show.
     */
    record Configured(
            List<OnDemandResource> resources,
            List<MirrorDefinition> always,
            List<ConfiguredResource> hidden) {

        static Configured of(BoundRecords properties) {
            return new Configured(
                    DemandProperties.onDemand(properties),
                    MirrorDefinition.all(properties),
                    DemandProperties.hidden(properties));
        }

        /** Another version of a resource shows the same objects, whose fields have other names. */
        boolean mayHide(ResourceType type) {
            return hidden.stream().anyMatch(one -> one.mayCover(type.group(), type.plural()));
        }
    }

    /**
     * Creates mirrors on demand, of which none has started.
     *
     * @param configured the configuration
     * @param nanos a monotonic clock in nanoseconds
     */
    OnDemandMirrors(
            Configured configured,
            MirrorLifecycle lifecycle,
            Source api,
            WatcherDirectory watchers,
            LongSupplier nanos,
            Sleeper sleeper) {
        this.configured = configured;
        this.lifecycle = lifecycle;
        this.api = api;
        this.discovered = new DiscoveredTypes(api, nanos);
        this.watchers = watchers;
        this.nanos = nanos;
        this.sweeper = new PeriodicThread("on-demand", this::sweepAndWait, SWEEP, sleeper);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("kubemirror.on.demand.types", demanded, Map::size)
                .description("Types that are mirrored on demand at present")
                .register(registry);
        FunctionCounter.builder("kubemirror.on.demand.starts", starts, AtomicLong::get)
                .description("Types whose mirrors started on demand")
                .register(registry);
        ends.forEach(
                (cause, count) ->
                        FunctionCounter.builder("kubemirror.on.demand.ends", count, AtomicLong::get)
                                .description("Types whose mirrors on demand ended, by cause")
                                .tag("cause", Names.kebab(cause))
                                .register(registry));
    }

    @Override
    public boolean isEmpty() {
        return configured.resources().isEmpty();
    }

    @Override
    public boolean use(RequestPath.Resource resource, boolean watch) {
        DemandedType present = demanded.get(resource);
        if (present != null) {
            boolean used = present.use(nanos.getAsLong());
            if (used && watch) {
                present.begin();
            }
            return used;
        }
        return isEmpty()
                || configured.resources().stream()
                        .noneMatch(one -> one.mayCover(resource.group(), resource.plural()))
                || lifecycle.mirrors().stream()
                        .flatMap(mirror -> mirror.type().stream())
                        .anyMatch(resource::isOf);
    }

    @Override
    public boolean serves(RequestPath.Resource resource) {
        return !isEmpty()
                && (demanded.containsKey(resource)
                        || discovered.known(resource::isOf).flatMap(this::covering).isPresent());
    }

    @Override
    public boolean demand(RequestPath.Resource resource, boolean watch)
            throws Rejection, InterruptedException {
        boolean used = false;
        while (!used) {
            KnownResource known = find(resource).orElse(null);
            if (known == null) {
                return false;
            }
            used = start(demanded.computeIfAbsent(resource, _ -> type(known)), watch);
        }
        return true;
    }

    /** Starts mirrors, or waits for their end. */
    private boolean start(DemandedType type, boolean watch) throws Rejection, InterruptedException {
        boolean used;
        try {
            used = type.start(watch);
        } catch (Rejection | RuntimeException refused) {
            demanded.values().remove(type);
            throw refused;
        }
        if (!used || type.isEnded()) {
            type.awaitEnd();
            return false;
        }
        return true;
    }

    private void started(DemandedType type) {
        starts.incrementAndGet();
        log.info("{}: mirrored on demand", type.name());
    }

    private DemandedType type(KnownResource known) {
        return new DemandedType(
                discovered.nameOf(known.type()),
                known.type(),
                known.element(),
                lifecycle,
                api,
                nanos,
                this::started);
    }

    @Override
    public void answered(RequestPath.Resource resource) {
        DemandedType present = demanded.get(resource);
        if (present != null) {
            present.begin();
        }
    }

    @Override
    public List<ResourceType> types() {
        return isEmpty()
                ? List.of()
                : discovered.recent().stream().filter(type -> covering(type).isPresent()).toList();
    }

    @Override
    public boolean isComplete() {
        return isEmpty() || (!discovered.recent().isEmpty() && discovered.areKnown());
    }

    /** A type and the element of the configuration that it is mirrored by. */
    private record KnownResource(ResourceType type, OnDemandResource element) {}

    /** Finds the type of a resource that is mirrored on demand. */
    private Optional<KnownResource> find(RequestPath.Resource resource) throws Rejection {
        Optional<ResourceType> type = discovered.find(resource::isOf);
        if (type.isEmpty() && !discovered.areKnown()) {
            throw new Rejection(StatusErrors.initializing(discovered.problem(), 1));
        }
        return type.flatMap(one -> covering(one).map(element -> new KnownResource(one, element)));
    }

    /**
     * Returns the element that mirrors a type. A name comes before a pattern, and a mirror that
     * starts with the process before both. What a name hides is in no mirror of a pattern, in
     * whatever version.
     */
    private Optional<OnDemandResource> covering(ResourceType type) {
        boolean started =
                configured.always().stream()
                        .map(definition -> definition.scope().resource())
                        .anyMatch(name -> discovered.isNameOf(name, type));
        return started
                ? Optional.empty()
                : Stream.of(false, true)
                        .filter(pattern -> !pattern || !configured.mayHide(type))
                        .flatMap(
                                pattern ->
                                        configured.resources().stream()
                                                .filter(one -> one.isPattern() == pattern)
                                                .filter(one -> covers(one, type)))
                        .findFirst();
    }

    private boolean covers(OnDemandResource element, ResourceType type) {
        return element.isPattern()
                ? element.covers(type)
                : discovered.isNameOf(new ResourceName(element.resource()), type);
    }

    /**
     * Requests the end of the mirrors that were used least recently, for the memory of another.
     * Called on the thread of its writer, which waits for nothing: another thread ends them, one
     * type at a time, and the memory comes back when they are gone.
     *
     * @return whether memory will be returned
     */
    boolean reclaim(Mirror needing) {
        if (candidates(needing).isEmpty()) {
            return reclaiming.get();
        }
        if (reclaiming.compareAndSet(false, true)) {
            Thread.ofVirtual().name("on-demand-memory").start(() -> reclaimFor(needing));
        }
        return true;
    }

    private void reclaimFor(Mirror needing) {
        try {
            sweep();
            for (var oldest : candidates(needing)) {
                if (end(oldest.getKey(), oldest.getValue(), Cause.MEMORY)) {
                    return;
                }
            }
        } catch (RuntimeException | Error bug) {
            log.error("Cannot end mirrors on demand", bug);
        } finally {
            reclaiming.set(false);
        }
    }

    /**
     * Returns the types that were used before a mirror, with the time, the oldest first. One whose
     * mirrors are being created has no memory to return.
     */
    private List<Map.Entry<DemandedType, Long>> candidates(Mirror needing) {
        long newest =
                demanded.values().stream()
                        .filter(type -> type.has(needing))
                        .mapToLong(DemandedType::lastUse)
                        .findFirst()
                        .orElse(Long.MAX_VALUE);
        // Requests change the times meanwhile, so each is read once.
        Map<DemandedType, Long> uses = new HashMap<>();
        demanded.values().stream()
                .filter(type -> type.hasMirrors() && !type.has(needing))
                .forEach(type -> uses.put(type, type.lastUse()));
        return uses.entrySet().stream()
                .filter(use -> use.getValue() < newest)
                .sorted(comparingByValue())
                .toList();
    }

    /** Ends the mirrors that are idle, or whose type is gone. */
    private void sweep() {
        for (DemandedType type : demanded.values()) {
            long now = nanos.getAsLong();
            long observed = type.lastUse();
            type.beginBy(now);
            if (type.isGone()) {
                end(type, observed, Cause.ABSENT);
                discovered.expire();
            } else if (type.isInUse(watchers)) {
                type.use(now);
            } else if (type.isIdle(observed, now)) {
                end(type, observed, Cause.IDLE);
            }
        }
    }

    private Duration sweepAndWait() {
        sweep();
        return SWEEP;
    }

    private boolean end(DemandedType type, long observed, Cause cause) {
        boolean ended = type.end(observed, () -> demanded.values().remove(type));
        if (ended) {
            Objects.requireNonNull(ends.get(cause)).incrementAndGet();
            log.info("{}: no longer mirrored on demand: {}", type.name(), Names.kebab(cause));
        }
        return ended;
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
