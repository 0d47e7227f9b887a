package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.ReadPlan.KnownStates;
import io.kubemirror.api.read.RevisionProbe;
import io.kubemirror.feature.forward.Floor.OutdatedObject;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import org.jspecify.annotations.Nullable;

/**
 * Tracks what clients know from answers of the API server through this process, until the mirrors
 * show it: the revisions of reads, and the writes (list-watch.md#fr-4, #ry-1 to #ry-6). Writes that
 * were sent elsewhere are not tracked.
 *
 * <p>A response of the API server is ahead of the mirror, by up to a minute if the collection is
 * quiet. Responses of the mirror need no tracking, since its revision decreases only when that of
 * the server does (list-watch.md#re-12).
 *
 * <p>Readers take the {@link Floor} before the state of the mirror and check the one against the
 * other. What has left the floor in between was shown by an earlier state of the mirror than the
 * reader's.
 *
 * <p>May be used from any thread.
 */
public final class AnsweredWrites implements KnownStates, MirrorSet.Listener {

    /** How long the mirror may take before the API server is asked. */
    private static final Duration GRACE = Duration.ofMillis(100);

    /** How long the answer to a write waits for a revision that the client has asked for. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final RevisionProbe probe;
    private final Predicate<ResourceType> discovered;
    private final BiConsumer<Mirror, Revision> progress;
    private final LongSupplier nanos;
    private final Timer shown;
    private final Timer notShown;

    /** The number of writes that have been answered. */
    private final AtomicLong answered = new AtomicLong();

    /**
     * What each mirror has to show. A write is added before the client gets the answer, and thus
     * before it can send a read that looks for it.
     */
    private final Map<Mirror, Floor> floors = new ConcurrentHashMap<>();

    /**
     * Creates a tracker without writes.
     *
     * @param mirrors all mirrors
     * @param probe requests the revision of the server that a mirror reads
     * @param discovered whether a type comes from the API server
     * @param progress requests that a mirror soon reaches a revision of the server; must return at
     *     once, and may be called often
     * @param nanos a monotonic clock in nanoseconds
     */
    public AnsweredWrites(
            MirrorSet mirrors,
            RevisionProbe probe,
            Predicate<ResourceType> discovered,
            BiConsumer<Mirror, Revision> progress,
            MeterRegistry registry,
            LongSupplier nanos) {
        this.probe = probe;
        this.discovered = discovered;
        this.progress = progress;
        this.nanos = nanos;
        this.shown = timer(registry, "shown");
        this.notShown = timer(registry, "not-shown");
        Gauge.builder("kubemirror.writes.pending", floors, AnsweredWrites::count)
                .description("Answered writes that a mirror may not show yet")
                .register(registry);
        mirrors.listen(this);
    }

    /**
     * The content of a mirror may be older than writes that were answered before it was added: one
     * on disk is. The mirror is added before the number of writes is read, and a write is counted
     * before its mirrors are looked up, so that one of them sees the other.
     */
    @Override
    public void added(Mirror mirror) {
        floors.put(mirror, Floor.NONE);
        if (answered.get() > 0) {
            change(mirror, floor -> floor.unclear(answered.get()));
        }
    }

    /** A mirror that does not advance any more shows no later write. */
    @Override
    public void removed(Mirror mirror) {
        floors.remove(mirror);
    }

    private static Timer timer(MeterRegistry registry, String outcome) {
        return Timer.builder("kubemirror.write.waits")
                .description("Time that reads waited for answered writes")
                .tag("outcome", outcome)
                .register(registry);
    }

    private static double count(Map<Mirror, Floor> floors) {
        return floors.entrySet().stream()
                .mapToInt(
                        one ->
                                one.getValue().outdated().size()
                                        + (one.getValue().at().isAfter(one.getKey().revision())
                                                ? 1
                                                : 0))
                .sum();
    }

    private void change(Mirror mirror, UnaryOperator<Floor> change) {
        floors.computeIfPresent(
                mirror,
                (_, before) -> {
                    // Read under the lock of the key and thus never before what is replaced. An
                    // earlier read could look like a mirror whose revision has decreased.
                    Floor now =
                            mirror.snapshot()
                                    .map(state -> before.in(state.revision()))
                                    .orElse(before);
                    return change.apply(now);
                });
    }

    /** Records the revision of a response of the API server, before the response is sent. */
    void raise(Mirror mirror, Revision served) {
        change(mirror, floor -> floor.raise(served));
    }

    private Floor known(Mirror mirror) {
        Floor known = floors.getOrDefault(mirror, Floor.NONE);
        Snapshot state = mirror.snapshot().orElse(null);
        if (state == null || !state.revision().isBefore(known.mirrorAt())) {
            return known;
        }
        floors.replace(mirror, known, Floor.NONE);
        return Floor.NONE;
    }

    @Override
    public Revision floor(Mirror mirror) {
        return known(mirror).at();
    }

    /** Returns whether the state of the mirror is older than a revision that clients know. */
    boolean isAhead(Mirror mirror) {
        return floor(mirror).isAfter(mirror.revision());
    }

    /**
     * A request that may change objects, as the client sent it.
     *
     * @param method the method, such as {@code PATCH}
     * @param asksForRevision whether the client sent {@link Exchange#MIN_REVISION}
     * @param began the number of writes that had been answered when this one began
     */
    public record WriteRequest(
            String method, RequestPath path, Query query, boolean asksForRevision, long began) {}

    /**
     * Describes a write. Call it before the write is sent to the API server.
     *
     * @param minRevision the header {@link Exchange#MIN_REVISION}, null if the client sent none
     * @throws Rejection if the header is not a revision
     */
    public WriteRequest begin(
            String method, RequestPath path, Query query, @Nullable String minRevision)
            throws Rejection {
        Exchange.minRevision(minRevision);
        return new WriteRequest(method, path, query, minRevision != null, answered.get());
    }

    /**
     * Records the answer to a write. Call it before the client gets anything of the answer.
     * Requests that change nothing are ignored.
     *
     * @param code the status code of the answer
     * @param contentType the content type of the answer, empty if there is none
     * @param beginning the first {@link WrittenObject#MAX_LENGTH} bytes of the body, not compressed
     * @return the revision of the write, empty if it is unknown
     */
    public Optional<Revision> answered(
            WriteRequest write, int code, String contentType, byte[] beginning) {
        if (code >= 500) {
            unanswered(write);
        }
        if (code / 100 != 2) {
            return Optional.empty();
        }
        long number = answered.incrementAndGet();
        List<Mirror> concerned = concerned(write);
        if (concerned.isEmpty()) {
            return Optional.empty();
        }
        boolean deletion =
                write.method().equals("DELETE") && write.path() instanceof RequestPath.Item;
        Optional<WrittenObject> object =
                write.path() instanceof RequestPath.Collection && !write.method().equals("POST")
                        ? Optional.empty()
                        : WrittenObject.read(contentType, beginning, deletion);
        record(write, object, number, concerned);
        Optional<Revision> revision = object.flatMap(WrittenObject::reached);
        try {
            return revision.isEmpty() && write.asksForRevision()
                    ? probe.newest(concerned.getFirst(), PATIENCE)
                    : revision;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /**
     * Records that a write may have been done although the API server has not answered it, for
     * example because the connection was cut.
     */
    public void unanswered(WriteRequest write) {
        long number = answered.incrementAndGet();
        record(write, Optional.empty(), number, concerned(write));
    }

    /** Returns whether a mirror may show the result of a write. */
    boolean isTracked(WriteRequest write) {
        return !concerned(write).isEmpty();
    }

    /** Returns the mirrors that may show the result of a write, none if it has none. */
    private List<Mirror> concerned(WriteRequest write) {
        boolean reads = Set.of("GET", "HEAD", "OPTIONS").contains(write.method());
        if (reads || !write.query().text("dryRun").isEmpty()) {
            return List.of();
        }
        return switch (write.path()) {
            case RequestPath.OfResource path -> showing(changed(path.resource()), path.namespace());
            case RequestPath.Part part when !isDetached(part) ->
                    showing(part.resource(), part.namespace());
            default -> List.of();
        };
    }

    /** Returns whether a subresource is no part of an object. */
    private static boolean isDetached(RequestPath.Part part) {
        String name = part.subresource().split("/", 2)[0];
        return PassThrough.CONNECTIONS.contains(name) || name.equals("token");
    }

    /** Returns the resource that a write changes: legacy bindings change pods. */
    private static RequestPath.Resource changed(RequestPath.Resource named) {
        RequestPath.Resource bindings = new RequestPath.Resource("", "v1", "bindings");
        return named.equals(bindings) ? new RequestPath.Resource("", "v1", "pods") : named;
    }

    private List<Mirror> showing(RequestPath.Resource resource, String namespace) {
        return floors.keySet().stream()
                .filter(mirror -> concerns(resource, namespace, mirror))
                .toList();
    }

    /**
     * Returns whether a mirror may show objects of a resource. Other versions of a type are other
     * views of the same objects.
     *
     * @param namespace the namespace of the objects, empty for all or if they have none
     */
    private static boolean concerns(
            RequestPath.Resource resource, String namespace, Mirror mirror) {
        ResourceType type = mirror.type().orElse(null);
        if (type == null) {
            ResourceName name = mirror.scope().resource();
            return isIn(namespace, mirror)
                    && name.match(resource.group(), resource.version(), resource.plural())
                            != ResourceName.Match.NONE;
        }
        return type.plural().equals(resource.plural())
                && (type.group().equals(resource.group())
                        || (isEvent(type.group(), mirror) && isEvent(resource.group(), mirror)))
                && isIn(namespace, mirror);
    }

    /** Events are the same objects in both of their groups. */
    private static boolean isEvent(String group, Mirror mirror) {
        return mirror.scope().resource().plural().equals("events")
                && Set.of("", "events.k8s.io").contains(group);
    }

    private static boolean isIn(String namespace, Mirror mirror) {
        return namespace.isEmpty() || mirror.scope().includes(namespace);
    }

    private void record(
            WriteRequest write,
            Optional<WrittenObject> object,
            long number,
            List<Mirror> concerned) {
        ObjectKey key = key(write.path(), object);
        for (Mirror mirror : concerned) {
            change(
                    mirror,
                    floor ->
                            object.isPresent() && isComparable(mirror)
                                    ? with(object.get(), key, write, number, floor, mirror)
                                    : floor.unclear(number));
        }
    }

    /**
     * Returns whether the revisions of a mirror are known to be those of the API server's answers.
     * Another source is asked for its own revision after the write, which shows the write if the
     * API server has stored it there.
     */
    private boolean isComparable(Mirror mirror) {
        return mirror.type().map(discovered::test).orElse(true);
    }

    /** Adds a write to what a mirror has to show. */
    private static Floor with(
            WrittenObject object,
            @Nullable ObjectKey key,
            WriteRequest write,
            long number,
            Floor floor,
            Mirror mirror) {
        Revision at = object.reached().orElse(null);
        if (key != null && object.gone() && !object.uid().isEmpty()) {
            OutdatedObject deleted =
                    new OutdatedObject(key, null, number, hasShown(object.uid(), key, mirror));
            return floor.with(object.uid(), deleted);
        }
        if (at == null) {
            return floor.unclear(number);
        }
        boolean selected =
                object.labels() == null
                        || mirror.scope().selection().labels().matches(object.labels());
        Floor raised = selected ? floor.raise(at, write.began()) : floor;
        return key != null && !selected && !object.uid().isEmpty()
                ? raised.with(object.uid(), new OutdatedObject(key, at, number, false))
                : raised.raise(at);
    }

    private static boolean hasShown(String uid, ObjectKey key, Mirror mirror) {
        return isWhole(mirror)
                && mirror.snapshot()
                        .flatMap(state -> state.get(key))
                        .filter(object -> object.uid().equals(uid))
                        .isPresent();
    }

    /** Returns whether an object leaves a mirror only when it is deleted. */
    private static boolean isWhole(Mirror mirror) {
        Selection held = mirror.scope().selection();
        return held.labels().isEverything() && held.fields().isEverything();
    }

    /** Returns the key of the object, null if it is not known which one it is. */
    private static @Nullable ObjectKey key(RequestPath path, Optional<WrittenObject> object) {
        return switch (path) {
            case RequestPath.Item item -> ObjectKey.of(item.namespace(), item.name());
            case RequestPath.Part part -> ObjectKey.of(part.namespace(), part.name());
            case RequestPath.Collection collection ->
                    object.map(WrittenObject::name)
                            .filter(name -> !name.isEmpty())
                            .map(name -> ObjectKey.of(collection.namespace(), name))
                            .orElse(null);
            default -> null;
        };
    }

    /**
     * Waits until a mirror that has content shows what clients know, and has reached a revision:
     * all writes that have been answered before the call. Does not wait for a mirror that does not
     * advance any more.
     */
    @Override
    public Optional<Mirror.Position> await(Mirror mirror, Revision floor, Duration patience)
            throws InterruptedException {
        Optional<Mirror.Position> now = position(mirror, floor);
        if (now.isPresent() || mirror.snapshot().isEmpty()) {
            return now;
        }
        long begun = nanos.getAsLong();
        AtomicReference<Mirror.@Nullable Position> found = new AtomicReference<>();
        Optional<Revision> reached = Optional.empty();
        int rounds = 0;
        for (Duration left = patience;
                left.isPositive() && found.get() == null && !mirror.isRemoved();
                left = patience.minusNanos(nanos.getAsLong() - begun)) {
            if (known(mirror).unclear() > 0 || (rounds > 0 && reached.isEmpty())) {
                reached = ask(mirror, left);
            }
            if (rounds > 0) {
                demand(mirror, floor, reached.orElse(Revision.ZERO));
            }
            rounds++;
            mirror.await(
                    () -> {
                        found.set(position(mirror, floor).orElse(null));
                        return found.get() != null;
                    },
                    left.compareTo(GRACE) < 0 ? left : GRACE);
        }
        (found.get() == null ? notShown : shown)
                .record(nanos.getAsLong() - begun, TimeUnit.NANOSECONDS);
        return Optional.ofNullable(found.get());
    }

    /** Asks the server for its revision, which is after each write that has been answered. */
    private Optional<Revision> ask(Mirror mirror, Duration left) throws InterruptedException {
        Floor asked = known(mirror);
        long number = answered.get();
        Optional<Revision> newest = probe.newest(mirror, left);
        if (newest.isPresent()) {
            mirror.snapshot()
                    .ifPresent(
                            state ->
                                    change(
                                            mirror,
                                            floor ->
                                                    floor.cover(
                                                            asked, number, newest.get(), state)));
        }
        return newest;
    }

    /**
     * Requests progress to what the server is known to have. Clients name revisions that do not
     * exist, which no mirror can progress to.
     */
    private void demand(Mirror mirror, Revision floor, Revision reached) {
        Revision wanted = Revision.later(floor, floor(mirror));
        if (wanted.isAfter(mirror.revision()) && !wanted.isAfter(reached)) {
            progress.accept(mirror, wanted);
        }
    }

    private Optional<Mirror.Position> position(Mirror mirror, Revision floor) {
        if (!floors.containsKey(mirror) && mirror.isRemoved()) {
            return Optional.empty();
        }
        Floor known = known(mirror);
        Mirror.Position now = mirror.position().orElse(null);
        if (now == null) {
            return Optional.empty();
        }
        Snapshot state = now.snapshot();
        Floor after = known.after(state, isWhole(mirror));
        if (!after.equals(known)) {
            floors.replace(mirror, known, after);
        }
        return !state.revision().isBefore(floor) && known.isShownBy(state)
                ? Optional.of(now)
                : Optional.empty();
    }
}
