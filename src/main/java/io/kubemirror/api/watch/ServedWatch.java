package io.kubemirror.api.watch;

import io.kubemirror.api.http.RequestCredentials;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.SnapshotPin;
import io.kubemirror.api.watch.WatchSession.EndReason;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.SnapshotPins;
import io.kubemirror.mirror.Subscription;
import io.kubemirror.mirror.WatcherDirectory.WatcherInfo;
import io.kubemirror.model.Permission;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * The watch of one resource, as operators, metrics, and rechecks of permissions see it. It has a
 * connection of its own, or is one of a stream of several resources.
 */
public final class ServedWatch implements WatchSource {

    private static final AtomicLongFieldUpdater<ServedWatch> EVENTS =
            AtomicLongFieldUpdater.newUpdater(ServedWatch.class, "events");
    private static final AtomicLongFieldUpdater<ServedWatch> BYTES =
            AtomicLongFieldUpdater.newUpdater(ServedWatch.class, "bytes");

    private final WatchSession.Watcher watcher;
    private final WatchStateMachine machine;
    private final WatchMeters.Meter meter;
    private final WatchRegistry registry;
    private final Subscription.Listener signal;

    /** The stream that this is a part of, null if it has a connection of its own. */
    private final @Nullable WatchMultiplexer stream;

    /** What the client needs for this resource, null if it needs what its request says. */
    private final @Nullable Permission permission;

    /** Holds the snapshot that the initial events are read from, null after them. */
    private @Nullable SnapshotPin pin;

    /** Count what has been sent. Written by one thread at a time, in order; read by any thread. */
    private volatile long events, bytes;

    /** Written before the signal, so that the run that follows the signal sees it. */
    private volatile boolean revoked;

    /**
     * Creates a watch with a connection of its own.
     *
     * @param machine decides the steps
     * @param meter the metrics of the mirror, which count the watch as open
     * @param registry the watch is removed from it at its end
     * @param signal runs the session
     */
    ServedWatch(
            WatchSession.Watcher watcher,
            WatchStateMachine machine,
            WatchMeters.Meter meter,
            WatchRegistry registry,
            Subscription.Listener signal) {
        this(watcher, machine, meter, registry, signal, null, null);
    }

    /**
     * Creates a watch in a stream.
     *
     * @param permission what the client needs for this resource
     */
    ServedWatch(
            WatchSession.Watcher watcher,
            WatchStateMachine machine,
            WatchMeters.Meter meter,
            WatchRegistry registry,
            Subscription.Listener signal,
            @Nullable WatchMultiplexer stream,
            @Nullable Permission permission) {
        this.watcher = watcher;
        this.machine = machine;
        this.meter = meter;
        this.registry = registry;
        this.signal = signal;
        this.stream = stream;
        this.permission = watcher.credentials().isPresent() ? permission : null;
    }

    @Override
    public NextStep next() {
        if (revoked) {
            machine.refuse(
                    StatusErrors.forbidden(
                            Objects.requireNonNull(permission),
                            "the permission to watch it was revoked"));
        }
        if (!isInitial()) {
            unpin();
        } else if (pin == null) {
            pin = meter.pin(machine.mirror(), connection()::requestEnd).hold(machine.revision());
        }
        return machine.next();
    }

    private void unpin() {
        if (pin != null) {
            pin.close();
            pin = null;
        }
    }

    @Override
    public ServedWatch sender() {
        return this;
    }

    /** Returns what ends together with this watch. Thread-safe. */
    WatchSource connection() {
        return stream == null ? this : stream;
    }

    /** Returns the watched mirror. Thread-safe. */
    Mirror mirror() {
        return machine.mirror();
    }

    /** Whether no event can be encoded, so that the first ends the connection. */
    boolean isMute() {
        return machine.isMute();
    }

    /** Whether the client is being sent the state that its watch begins with. Confined to runs. */
    boolean isInitial() {
        return machine.isInitial();
    }

    /** Returns a pin of what the client has yet to read. */
    SnapshotPins.Pin pinUnsent() {
        return machine.mirror().pin(machine.revision(), connection()::requestEnd);
    }

    /** Records that a batch has been sent. By one thread at a time. */
    void count(FrameBatch batch) {
        EVENTS.lazySet(this, events + batch.events());
        BYTES.lazySet(this, bytes + batch.bytes());
        meter.delivered(batch);
    }

    @Override
    public void releaseIfStopping() {
        machine.releaseIfStopping();
    }

    @Override
    public void end(EndReason why) {
        unpin();
        machine.close();
        registry.remove(this);
        meter.closed(why, machine.age());
    }

    /** Requests the end of this watch, and signals its session. Thread-safe. */
    @Override
    public void requestEnd() {
        stop();
        signal.signal();
    }

    /** Lets the next run end this watch. Thread-safe. */
    void stop() {
        machine.requestEnd();
    }

    @Override
    public boolean isEndRequested() {
        return machine.isEndRequested();
    }

    /**
     * Ends this watch because its client may no longer watch the resource. A stream continues with
     * the others, so its client gets the reason as an event (list-watch.md#ms-6). Thread-safe.
     */
    public void revoke() {
        if (permission == null) {
            connection().requestEnd();
        } else {
            revoked = true;
            signal.signal();
        }
    }

    /** Whether the client may no longer watch the resource. */
    boolean isRevoked() {
        return revoked;
    }

    /** Returns the credentials of the client, empty if none are required. Thread-safe. */
    Optional<RequestCredentials> credentials() {
        Permission own = permission;
        return own == null
                ? watcher.credentials()
                : watcher.credentials().map(all -> new RequestCredentials(all.credentials(), own));
    }

    /**
     * Returns the state of the watch for operators, empty after its end. Thread-safe.
     *
     * @param now the current time on the clock of the mirror's writer
     */
    Optional<WatcherInfo> info(long now) {
        return machine.cursor()
                .map(
                        cursor ->
                                new WatcherInfo(
                                        watcher.address(),
                                        watcher.agent(),
                                        watcher.selection(),
                                        watcher.since(),
                                        cursor.revision(),
                                        machine.backlog(now),
                                        events,
                                        bytes));
    }
}
