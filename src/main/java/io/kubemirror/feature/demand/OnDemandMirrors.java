package io.kubemirror.feature.demand;

import module java.base;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.ReadPlanner.OnDemandTypes;
import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.app.MirrorDefinition;
import io.kubemirror.app.MirrorLifecycle;
import io.kubemirror.app.MirrorProperties;
import io.kubemirror.app.ResourceProperties;
import io.kubemirror.kube.KubeClient;
import io.kubemirror.kube.ReviewClient.AccessReview;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.PeriodicThread;
import io.kubemirror.model.PeriodicThread.Sleeper;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceName.Match;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.TypeLookup;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Starts mirrors with the first request for their type, each on a thread of its own, and ends those
 * that are idle, that the API server does not have any more, or whose memory another one needs. No
 * request waits for any of it (list-watch.md#od-1 to #od-6).
 *
 * <p>Safe for use by any thread.
 */
@Component
final class OnDemandMirrors implements OnDemandTypes, SmartLifecycle, MeterBinder {

    private static final Logger log = LoggerFactory.getLogger(OnDemandMirrors.class);

    private static final Duration SWEEP = Duration.ofSeconds(1);

    /** How long it is remembered that a type cannot be mirrored. */
    private static final Duration MAX_REFUSAL = Duration.ofMinutes(1);

    private static final int MAX_REFUSALS = 1_000;

    private final MirrorProperties properties;

    /** The names of the mirrors that start with the process. */
    private final List<ResourceName> always;

    private final MirrorLifecycle lifecycle;
    private final Source api;
    private final WatchRegistry watchers;
    private final LongSupplier nanos;

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
     * Creates mirrors on demand, of which none has started.
     *
     * @param memory takes that of the mirrors when others need it
     * @param api tells types, definitions, and permissions
     * @param nanos a monotonic clock in nanoseconds
     */
    OnDemandMirrors(
            MirrorProperties properties,
            MirrorLifecycle lifecycle,
            MirrorMemory memory,
            Source api,
            WatchRegistry watchers,
            LongSupplier nanos,
            Sleeper sleeper) {
        this.properties = properties;
        this.always =
                MirrorDefinition.all(properties).stream()
                        .map(one -> one.scope().resource())
                        .distinct()
                        .toList();
        this.lifecycle = lifecycle;
        this.api = api;
        this.watchers = watchers;
        this.nanos = nanos;
        this.sweeper = new PeriodicThread("on-demand", this::sweepAndWait, SWEEP, sleeper);
        memory.onPressure(this::reclaim);
    }

    /** Returns the configured resources on demand, in their order. */
    private Stream<ResourceProperties> configured() {
        return properties.resources().stream().filter(ResourceProperties::isOnDemand);
    }

    private static void execute(Runnable task) {
        Thread.ofVirtual().name("on-demand").start(task);
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
            present.used().set(nanos.getAsLong());
            return present.isReady() ? Presence.READY : Presence.PENDING;
        }
        return isPossible(resource) && !isMirrored(resource) ? Presence.PENDING : Presence.OTHER;
    }

    private boolean isPossible(RequestPath.Resource resource) {
        return refused.getIfPresent(resource) == null
                && configured().anyMatch(one -> mayCover(one, resource));
    }

    /** Returns whether the resource of a path may be meant, as far as its names tell. */
    private static boolean mayCover(ResourceProperties element, RequestPath.Resource path) {
        return element.isPattern()
                ? isOfGroup(element, path.group())
                : element.name().match(path.group(), path.version(), path.plural()) != Match.NONE;
    }

    private static boolean isOfGroup(ResourceProperties pattern, String group) {
        return pattern.resource().equals("*") || pattern.resource().substring(2).equals(group);
    }

    private boolean isMirrored(RequestPath.Resource resource) {
        return lifecycle
                .mirrors()
                .named(resource.plural())
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
            execute(() -> create(resource));
        } catch (RuntimeException | Error noThread) {
            starting.remove(resource);
            throw noThread;
        }
    }

    private void create(RequestPath.Resource resource) {
        try {
            // What cannot be asked now is asked by the next request.
            if (!demanded.containsKey(resource)
                    && api.types() instanceof Result.Success(var found)
                    && !create(resource, watchable(found))) {
                refused.put(resource, true);
            }
        } catch (RuntimeException | Error bug) {
            log.error("Cannot mirror {} on demand", resource.plural(), bug);
        } finally {
            starting.remove(resource);
        }
    }

    /** Returns the types that the API server lists and watches. */
    private static List<ResourceType> watchable(List<TypeLookup.Found> found) {
        return found.stream()
                .filter(TypeLookup.Found::watchable)
                .map(TypeLookup.Found::type)
                .toList();
    }

    /**
     * Returns whether the resource may be mirrored.
     *
     * @param discovered in the order in which names resolve to them
     */
    private boolean create(RequestPath.Resource resource, List<ResourceType> discovered) {
        ResourceType type =
                discovered.stream().filter(one -> isOf(one, resource)).findFirst().orElse(null);
        ResourceProperties element = type == null ? null : covering(type, discovered).orElse(null);
        if (type == null || element == null) {
            return false;
        }
        ResourceName name = nameOf(type, discovered);
        List<MirrorDefinition> definitions = element.definitions(name, properties);
        boolean permitted = isPermitted(name, type, definitions);
        if (permitted) {
            begin(type, element.idle(), definitions);
            log.info("{}: mirrored on demand", name);
        }
        return permitted;
    }

    private void begin(ResourceType type, Duration idle, List<MirrorDefinition> definitions) {
        List<Mirror> mirrors = lifecycle.add(definitions, type, declared(type));
        RequestPath.Resource full =
                new RequestPath.Resource(type.group(), type.version(), type.plural());
        AtomicLong used = new AtomicLong(nanos.getAsLong());
        demanded.put(full, new DemandedType(full, mirrors, idle, used, new AtomicBoolean()));
        lifecycle.begin(mirrors);
    }

    /** A resource without a version is of any. */
    private static boolean isOf(ResourceType type, RequestPath.Resource resource) {
        return type.group().equals(resource.group())
                && type.plural().equals(resource.plural())
                && (resource.version().isEmpty() || type.version().equals(resource.version()));
    }

    /** Returns the name of a type, with the version unless it is the preferred one. */
    private static ResourceName nameOf(ResourceType type, List<ResourceType> discovered) {
        ResourceName name = new ResourceName(type.groupResource());
        return isNameOf(name, type, discovered)
                ? name
                : new ResourceName(
                        "%s.%s.%s".formatted(type.plural(), type.version(), type.group()));
    }

    /** Returns whether a name resolves to a type. */
    private static boolean isNameOf(
            ResourceName name, ResourceType type, List<ResourceType> discovered) {
        return name.resolve(discovered, Function.identity()).filter(type::equals).isPresent();
    }

    /**
     * Returns the element that mirrors a type. A name comes before a pattern, and a mirror that
     * starts with the process before both.
     */
    private Optional<ResourceProperties> covering(
            ResourceType type, List<ResourceType> discovered) {
        if (always.stream().anyMatch(name -> isNameOf(name, type, discovered))) {
            return Optional.empty();
        }
        return configured()
                .filter(one -> !one.isPattern() && isNameOf(one.name(), type, discovered))
                .findFirst()
                .or(() -> configured().filter(one -> covers(one, type)).findFirst());
    }

    /** Returns whether an element is a pattern for a type. */
    private boolean covers(ResourceProperties element, ResourceType type) {
        boolean secret = type.group().isEmpty() && type.plural().equals("secrets");
        return element.isPattern()
                && isOfGroup(element, type.group())
                && (properties.allowSecrets() || !secret)
                && (element.namespaces().isEmpty() || type.namespaced());
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
            execute(() -> reclaimFor(needing));
        }
        return true;
    }

    private void reclaimFor(Mirror needing) {
        try {
            sweep();
            oldest(needing).ifPresent(one -> end(one, "another mirror needs its memory"));
        } catch (RuntimeException | Error bug) {
            log.error("Cannot end mirrors on demand", bug);
        } finally {
            reclaiming.set(false);
        }
    }

    /** Returns the type that was used least recently, and before the one of a mirror. */
    private Optional<DemandedType> oldest(Mirror needing) {
        long newest =
                demanded.values().stream()
                        .filter(one -> one.mirrors().contains(needing))
                        .mapToLong(one -> one.used().get())
                        .findFirst()
                        .orElse(Long.MAX_VALUE);
        return demanded.values().stream()
                .filter(one -> one.used().get() < newest && !one.mirrors().contains(needing))
                .min(Comparator.comparingLong(one -> one.used().get()));
    }

    /** Ends the mirrors that are idle, or whose type is gone. */
    private void sweep() {
        for (DemandedType type : demanded.values()) {
            long now = nanos.getAsLong();
            if (type.isGone()) {
                end(type, "the API server does not have it");
            } else if (type.isInUse(watchers)) {
                type.used().set(now);
            } else if (now - type.used().get() >= type.idle().plus(SWEEP).toNanos()) {
                // The last watch may have ended right before this sweep, and not before the last.
                end(type, "it is idle");
            }
        }
    }

    private Duration sweepAndWait() {
        sweep();
        return SWEEP;
    }

    /** A request that comes meanwhile is passed on, or gets 429. */
    private void end(DemandedType type, String why) {
        if (!type.ending().compareAndSet(false, true)) {
            return;
        }
        try {
            lifecycle.remove(type.mirrors());
        } finally {
            demanded.remove(type.resource(), type);
        }
        ResourceName name = type.mirrors().getFirst().scope().resource();
        log.info("{}: no longer mirrored on demand: {}", name, why);
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

    /**
     * A type that has mirrors on demand, until they end.
     *
     * @param idle how long the mirrors may be without requests and watches
     * @param used when the mirrors were used last, in nanoseconds
     * @param ending whether the mirrors are about to be gone
     */
    private record DemandedType(
            RequestPath.Resource resource,
            List<Mirror> mirrors,
            Duration idle,
            AtomicLong used,
            AtomicBoolean ending) {

        /** Returns whether all of the type is in the mirrors. */
        boolean isReady() {
            return !ending.get() && mirrors.stream().allMatch(one -> one.snapshot().isPresent());
        }

        /** Returns whether the API server does not have the type. */
        boolean isGone() {
            return mirrors.stream().allMatch(mirror -> mirror.upstream().phase() == Phase.ABSENT);
        }

        /** Returns whether watches use a mirror, or it synchronizes for the first time. */
        boolean isInUse(WatchRegistry watchers) {
            return mirrors.stream()
                    .anyMatch(mirror -> watchers.isWatched(mirror) || isStarting(mirror));
        }

        private static boolean isStarting(Mirror mirror) {
            Phase phase = mirror.upstream().phase();
            return mirror.snapshot().isEmpty()
                    && (phase == Phase.RESOLVING || phase == Phase.SYNCHRONIZING);
        }
    }
}
