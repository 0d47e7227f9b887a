package io.kubemirror.mirror;

import io.kubemirror.model.DeclaredFields;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * A mirrored collection: what is true now and what changed recently, for any number of readers.
 *
 * <p>One {@link MirrorWriter} publishes immutable views; readers take the newest and never lock. A
 * subscription is nothing but a revision: whoever wants to follow asks {@link #read} what came
 * after its cursor and {@linkplain #subscribe sleeps}, if nothing did, until he is woken. One that
 * is too slow falls out of the window and is told so; it can hurt nobody but itself.
 *
 * <p>Rejected: a bounded queue for each subscriber, filled by the writer, as in the API server's
 * watch cache and etcd's client cache. Nearly all of their complexity (time budgets, lagging
 * watchers, deferred closing) exists because such a queue can be full. Typha's trail of breadcrumbs
 * pulls as we do, but as an unbounded list which one stuck reader keeps alive.
 *
 * <p>All methods may be called from any thread.
 */
public final class Mirror {

    private final Scope scope;
    private final Window window;
    private final LongSupplier nanos;
    private final Notifier notifier;

    /** Immutable and published in one write, so readers see all of it or none. */
    private volatile View view;

    private volatile DeclaredFields declared = DeclaredFields.NONE;
    private volatile List<String> warnings = List.of();

    /** Read, changed and written by the thread of the writer alone; immutable. */
    private volatile UpstreamStatus upstream = UpstreamStatus.starting(Instant.EPOCH);

    /**
     * A mirror without content.
     *
     * @param scope what it mirrors
     * @param window how much of the past it keeps
     * @param executor wakes sleeping readers; should be a single thread of its own
     * @param nanos a monotonic clock in nanoseconds, such as {@link System#nanoTime}
     */
    public Mirror(Scope scope, Window window, Executor executor, LongSupplier nanos) {
        this.nanos = nanos;
        this.scope = scope;
        this.window = window;
        this.view = new View(0, null, null, LostHistory.NONE, new EventLog(window).recent(), 0, 0);
        this.notifier = new Notifier(executor, this::view, view.cursor(), nanos);
    }

    /** What is mirrored, as configured. */
    public Scope scope() {
        return scope;
    }

    /** The type of the objects, once discovery has answered. */
    public Optional<ResourceType> type() {
        return Optional.ofNullable(view.type());
    }

    /**
     * The fields that the definition of the type declares. They change only while there is no
     * content: whoever reads them first and a snapshot afterwards, reads them of older or equal
     * content, since they are written after the old content is gone and before any new is there.
     */
    public DeclaredFields declaredFields() {
        return declared;
    }

    /**
     * What the API server warns of whoever reads the type, as values of the header {@code Warning};
     * that of the last list or watch. A reader may see it before or after the content that came
     * with it.
     */
    public List<String> warnings() {
        return warnings;
    }

    /** How the mirror stands with its API server. */
    public UpstreamStatus upstream() {
        return upstream;
    }

    /**
     * The present state; empty until the first synchronisation is complete (list-watch.md#in-1,
     * #in-2).
     */
    public Optional<Snapshot> snapshot() {
        return Optional.ofNullable(view.snapshot());
    }

    /**
     * The state as of a revision; empty if the window does not reach back that far, or the mirror
     * has not come that far (list-watch.md#li-11, #li-21).
     */
    public Optional<Snapshot> snapshot(Revision exact) {
        View now = view;
        while (now.reaches(exact)) {
            Optional<Snapshot> found = now.at(exact);
            if (found.isPresent()) {
                return found;
            }
            // The writer is just publishing what has overwritten this view.
            Thread.onSpinWait();
            now = view;
        }
        return Optional.empty();
    }

    /**
     * The revision that the mirror is synchronised to, 0 until the first synchronisation is
     * complete (list-watch.md#conventions).
     */
    public Revision revision() {
        return view.revision();
    }

    /** The smallest revision that a watch may start from (list-watch.md#conventions). */
    public Revision floor() {
        return view.recent().floor();
    }

    /** The size of all stored objects in bytes. */
    public long bytes() {
        return view.bytes();
    }

    /** The number of changes in the window. */
    public long windowChanges() {
        return view.recent().next() - view.recent().first();
    }

    /** The time between the oldest and the newest change in the window. */
    public Duration windowSpan() {
        return view.recent().span();
    }

    /**
     * What a reader has not come to yet.
     *
     * @param cursor how far it has come
     * @param nanos the time now, on the writer's clock
     */
    public Backlog backlog(Cursor cursor, long nanos) {
        View now = view;
        return cursor.era() == now.era()
                ? now.recent().backlog(cursor.revision(), nanos)
                : Backlog.NONE;
    }

    /** What the window keeps alive, in bytes. */
    public long windowBytes() {
        return view.logBytes();
    }

    /**
     * Waits until the mirror has come to a revision (list-watch.md#li-20).
     *
     * @param patience how long at most, zero for a look
     * @return whether it has
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public boolean await(Revision revision, Duration patience) throws InterruptedException {
        long deadline = nanos.getAsLong() + patience.toNanos();
        long remaining = patience.toNanos();
        View now = view;
        while (!hasReached(now, revision) && remaining > 0) {
            notifier.await(now.cursor(), remaining);
            remaining = deadline - nanos.getAsLong();
            now = view;
        }
        return hasReached(now, revision);
    }

    private static boolean hasReached(View now, Revision revision) {
        return now.snapshot() != null && !now.revision().isBefore(revision);
    }

    /**
     * Whether a watch may start after a revision; one from the future may, and sees nothing until
     * then (list-watch.md#wa-8 to #wa-11).
     */
    public StartPosition start(Revision after) {
        return view.start(after);
    }

    /**
     * The present state together with a cursor behind it: initial events, and where the live ones
     * begin (list-watch.md#fa-6).
     *
     * @return both, or empty until the first synchronisation is complete
     */
    public Optional<Position> position() {
        View now = view;
        Snapshot snapshot = now.snapshot();
        return snapshot == null
                ? Optional.empty()
                : Optional.of(new Position(snapshot, now.cursor()));
    }

    /**
     * A state and the cursor that goes on from it.
     *
     * @param snapshot the state
     * @param cursor everything in the state has been read
     */
    public record Position(Snapshot snapshot, Cursor cursor) {}

    /**
     * Somebody who reads, and is woken when there is something to read.
     *
     * @param interest what to wake him for
     * @param listener rung then, on a thread of the mirror, so that it must return at once
     * @return awake; to be closed
     */
    public Subscription subscribe(Interest interest, Runnable listener) {
        return new Subscription(notifier, interest, listener);
    }

    /** What came after a cursor, possibly nothing. */
    public Reading read(Cursor cursor) {
        while (true) {
            Optional<Reading> reading = view.read(cursor);
            if (reading.isPresent()) {
                return reading.get();
            }
            // The writer is just publishing what has overwritten this view.
            Thread.onSpinWait();
        }
    }

    Window window() {
        return window;
    }

    View view() {
        return view;
    }

    /** Called by the writer alone, while there is no content or none that was read for others. */
    void declare(DeclaredFields fields) {
        declared = fields;
    }

    /** Called by the writer alone; the list is copied, so that readers of it need no lock. */
    void warn(List<String> now) {
        warnings = List.copyOf(now);
    }

    /** Called by the writer alone, under its lock. */
    void publish(View next) {
        view = next;
        notifier.signal();
    }

    /** The same state with a shorter history, which is no news. Called under the writer's lock. */
    void shorten(LogView recent, long logBytes) {
        view = view.with(recent, logBytes);
    }

    /** Called by the writer alone. */
    void report(UpstreamStatus now) {
        upstream = now;
    }
}
