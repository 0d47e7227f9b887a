package io.kubemirror.api.watch;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.http.StreamCursor;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.api.watch.WatchSession.EndReason;
import io.kubemirror.mirror.Subscription;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A stream of several resources on one connection (list-watch.md#streams): a watch of each, which
 * share a session, its task, its timer, and its sink. In each run, the watches that have something
 * to do take turns.
 *
 * <p>The watches are ordinary ones, but for the beginning of each event: it has the cursor of the
 * stream, which is the position of all of them. If the history of one is gone, or begins again,
 * another watch of the same resource takes its place. One whose permission is revoked ends alone.
 * Any other end of one ends the stream.
 *
 * <p>Fields that are not final or volatile are confined to the runs of the session.
 */
public final class WatchMultiplexer implements WatchSource {

    /** The charge of one watch in a stream, in bytes. */
    private static final int CHARGE = 600;

    private static final Logger log = LoggerFactory.getLogger(WatchMultiplexer.class);

    private final WatchService service;
    private final StreamSource reading;
    private final StreamClient client;
    private final Executor threads;
    private final WatchSchedule schedule;
    private final @Nullable Revision[] reached;

    /**
     * The watches by number, null for one that has ended. A run takes one away, and the thread that
     * replaces it puts another one.
     */
    private final AtomicReferenceArray<@Nullable ServedWatch> watches;

    private final ReadyWatches ready;

    /** The time at which the next watch has something to do without a signal. */
    private long due;

    private int revoked;
    private EndReason reason = EndReason.CLOSED;

    /** Whether the end has been requested. Written before the signal. */
    private volatile boolean stopping;

    /** Whether the session has ended. A watch that is opened afterwards is closed at once. */
    private volatile boolean ended;

    /**
     * What a stream shows of one resource.
     *
     * @param name the resource as the client names it
     * @param permission the permission that the client needs for it
     */
    public record StreamPart(
            String name, CollectionRequest wanted, FrameEncoder frames, Permission permission) {}

    /** Selects what a stream shows of a resource whose watch is replaced. Thread-safe. */
    @FunctionalInterface
    public interface PartSource {

        /**
         * Selects a resource as the mirrors are now.
         *
         * @param number the number of the resource in the request
         * @param after the revision that the client has reached, null to begin with the state
         * @throws Rejection if the resource cannot be watched
         */
        StreamPart select(int number, @Nullable Revision after)
                throws Rejection, InterruptedException;
    }

    /**
     * What a stream reads.
     *
     * @param cursors writes the positions of the client
     * @param min a revision that no initial state may be before, 0 for any
     */
    record StreamSource(PartSource parts, StreamCursor cursors, Revision min) {}

    /**
     * The client of a stream that has been sent the headers.
     *
     * @param memory what the stream is charged to
     */
    private record StreamClient(
            WatchFraming framing, WatchSession.Watcher watcher, MemoryBudget memory) {}

    /** A watch that is about to be opened. */
    private record BegunPart(int number, StreamPart part, WatchPhase start) {}

    /** The place of a watch in a stream: one object, because there are many. */
    private record Place(WatchMultiplexer stream, int number)
            implements Subscription.Listener, FrameEncoder.EventLead {

        @Override
        public void signal() {
            stream.ready.signal(number);
        }

        @Override
        public byte[] after(@Nullable Revision revision) {
            return stream.lead(number, revision);
        }
    }

    private WatchMultiplexer(
            WatchService service,
            StreamSource reading,
            StreamClient client,
            List<@Nullable Revision> reached,
            WatchSchedule schedule,
            CoalescingTask task,
            Executor threads) {
        this.service = service;
        this.reading = reading;
        this.client = client;
        this.reached = reached.toArray(new @Nullable Revision[0]);
        this.watches = new AtomicReferenceArray<>(reached.size());
        this.ready = new ReadyWatches(reached.size(), task);
        this.threads = threads;
        this.schedule = schedule;
        this.due = service.now() + WatchSchedule.LONGEST.toNanos();
    }

    /**
     * Opens a stream, which is then to be started.
     *
     * @param parts what it shows of its resources
     * @param reached the position of the client
     * @param threads runs what may wait, each task on a thread of its own
     */
    static WatchSession open(
            WatchService service,
            List<StreamPart> parts,
            StreamSource reading,
            List<@Nullable Revision> reached,
            Exchange exchange,
            Executor threads)
            throws Rejection, IOException, InterruptedException {
        MemoryBudget memory = exchange.memory().responses();
        if (!memory.tryAcquire(charge(reached.size()))) {
            throw new Rejection(StatusErrors.outOfMemory());
        }
        WatchMultiplexer stream = null;
        boolean opened = false;
        try {
            List<BegunPart> begun = new ArrayList<>();
            for (StreamPart part : parts) {
                begun.add(begin(service, reading, begun.size(), part));
            }
            StreamPart first = parts.getFirst();
            ChunkSink sink = WatchService.sendHeaders(first.frames(), exchange);
            StreamClient client =
                    new StreamClient(
                            first.frames().watchFraming(),
                            service.watcher(first.wanted(), exchange),
                            memory);
            WatchSchedule schedule = service.schedule(first.wanted(), first.frames());
            CoalescingTask task = service.task();
            stream =
                    new WatchMultiplexer(
                            service, reading, client, reached, schedule, task, threads);
            for (BegunPart part : begun) {
                stream.watches.set(part.number(), stream.open(part));
            }
            WatchSession session = new WatchSession(task, sink, stream);
            session.endOnDisconnect(exchange.request());
            exchange.beginWatch();
            opened = true;
            return session;
        } finally {
            // Jetty may have ended the request, so anything that touches it may fail.
            if (!opened && stream != null) {
                stream.end(EndReason.CLOSED);
            } else if (!opened) {
                memory.release(charge(reached.size()));
            }
        }
    }

    private static int charge(int watches) {
        return watches * CHARGE;
    }

    private static BegunPart begin(
            WatchService service, StreamSource reading, int number, StreamPart part)
            throws Rejection, InterruptedException {
        return new BegunPart(number, part, service.begin(part.wanted(), reading.min()));
    }

    private ServedWatch open(BegunPart begun) {
        int number = begun.number();
        StreamPart part = begun.part();
        Place place = new Place(this, number);
        WatchMeters.Meter meter = service.meters().of(part.wanted().mirror());
        meter.opened();
        ServedWatch watch =
                new ServedWatch(
                        client.watcher(),
                        service.machine(
                                new WatchService.BegunWatch(
                                        part.wanted(),
                                        begun.start(),
                                        part.frames().in(part.name(), place)),
                                schedule,
                                number == 0,
                                place),
                        meter,
                        service.registry(),
                        place,
                        this,
                        part.permission());
        service.registry().add(watch);
        return watch;
    }

    @Override
    public NextStep next() {
        NextStep next = null;
        while (next == null) {
            if (ready.takeNext()) {
                next = run(ready.last());
            } else if (isOver()) {
                next = new NextStep.End(reason);
            } else if (service.now() - due < 0) {
                next = new NextStep.Rest(due);
            } else {
                due = service.now() + WatchSchedule.LONGEST.toNanos();
                ready.addAll();
            }
        }
        return next;
    }

    /** Returns null if a watch has nothing to send. */
    private @Nullable NextStep run(int number) {
        ServedWatch watch = watches.get(number);
        if (watch == null) {
            return null;
        }
        if (stopping) {
            watch.stop();
        }
        return switch (watch.next()) {
            case NextStep.Send send -> {
                ready.addLast();
                yield send;
            }
            case NextStep.Rest(long until) -> {
                due = until - due < 0 ? until : due;
                yield null;
            }
            case NextStep.End(EndReason why) -> {
                watches.set(number, null);
                watch.end(why);
                ended(number, watch, why);
                yield null;
            }
        };
    }

    /** A watch that is being replaced does not delay the end. */
    private boolean isOver() {
        if (!stopping) {
            return revoked == reached.length;
        }
        for (int number = 0; number < watches.length(); number++) {
            if (watches.get(number) != null) {
                return false;
            }
        }
        return true;
    }

    /**
     * Replaces a watch whose client needs the state again (list-watch.md#ms-5), or whose mirror has
     * begun a new history, from which it may be able to continue.
     */
    private void ended(int number, ServedWatch watch, EndReason why) {
        boolean again =
                switch (why) {
                    case EXPIRED, GAP -> {
                        reached[number] = null;
                        yield true;
                    }
                    case RESET -> true;
                    case TIMEOUT, CLOSED, STALLED -> false;
                };
        if (again && !stopping) {
            Revision after = reached[number];
            threads.execute(() -> replace(number, after));
        } else if (watch.isRevoked()) {
            revoked++;
        } else if (!stopping) {
            reason = why;
            requestEnd();
        }
    }

    private void replace(int number, @Nullable Revision after) {
        try {
            StreamPart part = reading.parts().select(number, after);
            watches.set(number, open(begin(service, reading, number, part)));
            if (ended) {
                end(number, EndReason.CLOSED);
            }
            ready.signal(number);
        } catch (Rejection | InterruptedException refused) {
            // The client gets the reason when it connects again.
            log.debug("Cannot continue a stream of several resources: {}", refused.toString());
            requestEnd();
        } catch (RuntimeException | Error bug) {
            log.error("A watch of several resources failed", bug);
            requestEnd();
        }
    }

    @Override
    public ServedWatch sender() {
        return Objects.requireNonNull(watches.get(ready.last()));
    }

    /**
     * Returns what begins an event, which moves the cursor.
     *
     * @param after the revision that the client has after the event, null if it must not resume
     *     there
     */
    private byte[] lead(int number, @Nullable Revision after) {
        if (after == null) {
            return client.framing().lead("").getBytes(UTF_8);
        }
        reached[number] = after;
        return client.framing()
                .lead(reading.cursors().encode(Arrays.asList(reached)))
                .getBytes(UTF_8);
    }

    @Override
    public void releaseIfStopping() {
        if (stopping) {
            for (int number = 0; number < watches.length(); number++) {
                ServedWatch watch = watches.get(number);
                if (watch != null) {
                    watch.stop();
                    watch.releaseIfStopping();
                }
            }
        }
    }

    @Override
    public void end(EndReason why) {
        ended = true;
        for (int number = 0; number < watches.length(); number++) {
            end(number, why);
        }
        client.memory().release(charge(reached.length));
    }

    private void end(int number, EndReason why) {
        ServedWatch watch = watches.getAndSet(number, null);
        if (watch != null) {
            watch.end(why);
        }
    }

    @Override
    public void requestEnd() {
        stopping = true;
        ready.signalAll();
    }

    @Override
    public boolean isEndRequested() {
        return stopping;
    }
}
