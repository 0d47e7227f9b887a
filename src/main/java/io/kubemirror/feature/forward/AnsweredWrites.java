package io.kubemirror.feature.forward;

import io.kubemirror.api.http.MinRevision;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.feature.forward.AnsweredWrite.Changed;
import io.kubemirror.feature.forward.AnsweredWrite.Deleted;
import io.kubemirror.feature.forward.AnsweredWrite.Unclear;
import io.kubemirror.feature.forward.PendingWrites.Pending;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import org.apache.commons.io.input.TeeInputStream;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

/**
 * Tracks the writes that the API server has answered through this process, until the mirrors show
 * them (list-watch.md#ry-1 to #ry-6). Writes that were sent elsewhere are not tracked.
 *
 * <p>May be used from any thread.
 */
public final class AnsweredWrites implements MirrorSet.Listener {

    /** How long the mirror may take before the API server is asked. */
    private static final Duration GRACE = Duration.ofMillis(100);

    /** How long the answer to a write waits for a revision that the client has asked for. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    /** The subresources that are no part of an object. */
    private static final Set<String> DETACHED =
            Set.of("attach", "exec", "log", "portforward", "proxy", "token");

    private final WriteLookup lookup;
    private final BiConsumer<Mirror, Revision> progress;
    private final MemoryBudget memory;
    private final LongSupplier nanos;
    private final Timer shown;
    private final Timer notShown;

    /** The number of writes that have been answered. */
    private final AtomicLong answered = new AtomicLong();

    /**
     * The writes of each mirror. A write is added before the client gets the answer, and thus
     * before it can send a read that looks for it.
     */
    private final Map<Mirror, PendingWrites> pending = new ConcurrentHashMap<>();

    /**
     * Creates a tracker without writes.
     *
     * @param mirrors all mirrors
     * @param progress requests that a mirror soon reaches a revision of the server; must return at
     *     once, and may be called often
     * @param memory the budget for pending writes
     * @param nanos a monotonic clock in nanoseconds
     */
    public AnsweredWrites(
            MirrorSet mirrors,
            WriteLookup lookup,
            BiConsumer<Mirror, Revision> progress,
            MemoryBudget memory,
            MeterRegistry registry,
            LongSupplier nanos) {
        this.lookup = lookup;
        this.progress = progress;
        this.memory = memory;
        this.nanos = nanos;
        this.shown = timer(registry, "shown");
        this.notShown = timer(registry, "not-shown");
        Gauge.builder("kubemirror.writes.pending", pending, AnsweredWrites::count)
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
        PendingWrites writes = new PendingWrites(mirror, memory);
        pending.put(mirror, writes);
        if (answered.get() > 0 && lookup.isComparable(mirror)) {
            writes.addUnclear(answered.get());
        }
    }

    /** A mirror that does not advance any more shows no later write. */
    @Override
    public void removed(Mirror mirror) {
        PendingWrites writes = pending.remove(mirror);
        if (writes != null) {
            writes.end();
        }
    }

    private static Timer timer(MeterRegistry registry, String outcome) {
        return Timer.builder("kubemirror.write.waits")
                .description("Time that reads waited for answered writes")
                .tag("outcome", outcome)
                .register(registry);
    }

    private static double count(Map<Mirror, PendingWrites> pending) {
        return pending.values().stream().mapToInt(writes -> writes.pending().writes().size()).sum();
    }

    /**
     * A request that may change objects, as the client sent it.
     *
     * @param method the method, such as {@code PATCH}
     * @param asksForRevision whether the client sent {@link MinRevision#HEADER}
     * @param began the number of writes that had been answered when this one began
     */
    public record WriteRequest(
            String method, RequestPath path, Query query, boolean asksForRevision, long began) {}

    /**
     * What is sent to the client in the place of the body that was given.
     *
     * @param headers headers to add to the response
     * @param body the body, from its first byte; closing it closes the body that was given
     */
    public record TrackedResponse(Map<String, String> headers, InputStream body) {}

    /**
     * Describes a write. Call it before the write is sent to the API server.
     *
     * @param minRevision the header {@link MinRevision#HEADER}, null if the client sent none
     * @throws Rejection if the header is not a revision
     */
    public WriteRequest begin(
            String method, RequestPath path, Query query, @Nullable String minRevision)
            throws Rejection {
        MinRevision.of(minRevision);
        return new WriteRequest(method, path, query, minRevision != null, answered.get());
    }

    /**
     * Records the answer to a write. Call it after the head of the answer has arrived and before
     * the client gets anything of it. Blocks until as much of the body has arrived as names the
     * object and its revision. Requests that change nothing are ignored.
     *
     * @param code the status code of the answer
     * @param contentType the content type of the answer, empty if there is none
     * @param body the body, not compressed
     */
    public TrackedResponse answered(
            WriteRequest write, int code, String contentType, InputStream body) {
        if (code >= 500) {
            unanswered(write);
        }
        if (code / 100 != 2) {
            return new TrackedResponse(Map.of(), body);
        }
        long number = answered.incrementAndGet();
        List<Mirror> concerned = concerned(write);
        if (concerned.isEmpty()) {
            return new TrackedResponse(Map.of(), body);
        }
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        boolean deletion =
                write.method().equals("DELETE") && write.path() instanceof RequestPath.Item;
        Optional<WrittenObject> object =
                write.path() instanceof RequestPath.Collection && !write.method().equals("POST")
                        ? Optional.empty()
                        : WrittenObject.read(contentType, new TeeInputStream(body, read), deletion);
        InputStream whole =
                read.size() == 0
                        ? body
                        : new SequenceInputStream(
                                new ByteArrayInputStream(read.toByteArray()), body);
        Optional<Revision> revision = object.flatMap(WrittenObject::reached);
        record(write, object, number, concerned);
        if (revision.isEmpty() && write.asksForRevision()) {
            revision = lookup.newest(concerned.getFirst(), PATIENCE);
        }
        return new TrackedResponse(
                revision.map(at -> Map.of(MinRevision.HEADER, at.digits())).orElse(Map.of()),
                whole);
    }

    /**
     * Records that a write may have been done although the API server has not answered it, for
     * example because the connection was cut.
     */
    public void unanswered(WriteRequest write) {
        long number = answered.incrementAndGet();
        record(write, Optional.empty(), number, concerned(write));
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

    private static boolean isDetached(RequestPath.Part part) {
        return DETACHED.contains(part.subresource().split("/", 2)[0]);
    }

    /** Returns the resource that a write changes: legacy bindings change pods. */
    private static RequestPath.Resource changed(RequestPath.Resource named) {
        RequestPath.Resource bindings = new RequestPath.Resource("", "v1", "bindings");
        return named.equals(bindings) ? new RequestPath.Resource("", "v1", "pods") : named;
    }

    private List<Mirror> showing(RequestPath.Resource resource, String namespace) {
        return pending.entrySet().stream()
                .filter(entry -> entry.getValue().concerns(resource, namespace))
                .map(Map.Entry::getKey)
                .filter(lookup::isComparable)
                .toList();
    }

    private void record(
            WriteRequest write,
            Optional<WrittenObject> object,
            long number,
            List<Mirror> concerned) {
        ObjectKey key = key(write.path(), object);
        for (Mirror mirror : concerned) {
            PendingWrites writes = pending.get(mirror);
            if (writes == null) {
                continue;
            }
            Optional<Revision> at = object.flatMap(WrittenObject::reached);
            if (key != null) {
                writes.add(key, result(object, number, mirror), number, write.began());
            } else if (at.isPresent()) {
                writes.add(at.get());
            } else {
                writes.addUnclear(number);
            }
            at.ifPresent(revision -> writes.passed(write.began(), revision));
        }
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

    private static AnsweredWrite result(
            Optional<WrittenObject> answer, long number, Mirror mirror) {
        WrittenObject object = answer.orElse(null);
        if (object == null) {
            return new Unclear(number);
        }
        if (object.gone() && !object.uid().isEmpty()) {
            return new Deleted(object.uid(), number, false, null);
        }
        LabelSelector selector = mirror.scope().selection().labels();
        Map<String, String> labels = object.labels();
        boolean selected = labels == null || selector.matches(labels);
        return object.reached()
                .<AnsweredWrite>map(at -> new Changed(at, object.uid(), selected, false))
                .orElseGet(() -> new Unclear(number));
    }

    /**
     * Waits until a mirror that has content shows all writes that have been answered before the
     * call, and has reached a revision. Does not wait for a mirror that does not advance any more.
     *
     * @param floor the revision, 0 for any
     * @param patience the maximum time to wait
     * @return a state that shows them; empty if there is none in time
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public Optional<Mirror.Position> await(Mirror mirror, Revision floor, Duration patience)
            throws InterruptedException {
        Optional<Mirror.Position> now = position(mirror, floor);
        if (now.isPresent() || mirror.snapshot().isEmpty()) {
            return now;
        }
        long begun = nanos.getAsLong();
        AtomicReference<Mirror.@Nullable Position> found = new AtomicReference<>();
        int rounds = 0;
        boolean reached = false;
        for (Duration left = patience;
                left.isPositive() && found.get() == null && !mirror.isRemoved();
                left = patience.minusNanos(nanos.getAsLong() - begun)) {
            if (rounds == 1) {
                // Clients name revisions that do not exist, which no mirror can progress to.
                reached = floor.isAfter(mirror.revision()) && hasReached(mirror, floor, left);
            }
            ask(mirror, reached ? floor : Revision.ZERO, left, rounds == 0);
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

    /** Returns whether the API server has a revision, as far as is known in time. */
    private boolean hasReached(Mirror mirror, Revision revision, Duration left) {
        return lookup.newest(parts(mirror).getFirst(), left)
                .filter(newest -> !newest.isBefore(revision))
                .isPresent();
    }

    private static List<Mirror> parts(Mirror mirror) {
        return mirror.members().isEmpty() ? List.of(mirror) : mirror.members();
    }

    private Optional<Mirror.Position> position(Mirror mirror, Revision floor) {
        PendingWrites writes = pending.get(mirror);
        Pending known = writes == null ? Pending.NOTHING : writes.pending();
        return mirror.position()
                .filter(at -> !at.snapshot().revision().isBefore(floor))
                .filter(
                        at ->
                                writes == null
                                        ? !mirror.isRemoved()
                                        : writes.isShown(known, at.snapshot()));
    }

    /** Asks the API server for what the mirror cannot know, at first only where it never will. */
    private void ask(Mirror mirror, Revision floor, Duration left, boolean first)
            throws InterruptedException {
        PendingWrites writes = pending.get(mirror);
        if (writes != null && writes.isUnresolved(mirror.snapshot().orElse(null), first)) {
            lookup.resolve(mirror, writes, left);
        }
        Revision wanted = writes == null ? floor : Revision.later(floor, writes.pending().floor());
        if (!first && wanted.isAfter(mirror.revision())) {
            parts(mirror).stream()
                    .filter(part -> part.revision().isBefore(wanted))
                    .forEach(part -> progress.accept(part, wanted));
        }
    }
}
