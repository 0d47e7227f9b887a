package io.kubemirror.feature.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.api.WatchRequests.SelectedWatch;
import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.http.DisconnectListener;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.api.watch.CoalescingTask;
import io.kubemirror.api.watch.Watch;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.api.watch.WatchConnection.EndReason;
import io.kubemirror.api.watch.WatchConnection.WatchSource;
import io.kubemirror.api.watch.WatchSchedule;
import io.kubemirror.api.watch.WatchService;
import io.kubemirror.api.watch.WatchService.WatchClient;
import io.kubemirror.mirror.Subscription;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream of several resources on one connection (list-watch.md#streams): a watch of each, which
 * share the connection, its task, its timer, and its sink. In each run, the watches that have
 * something to do take turns.
 *
 * <p>The watches are ordinary ones, but for the beginning of each event: it has the cursor of the
 * stream, which is the position of all of them. If the history of one is gone, or begins again,
 * another watch of the same resource takes its place. One whose permission is revoked ends alone.
 * Any other end of one ends the stream.
 *
 * <p>Fields that are not final or volatile are confined to the runs of the task.
 */
final class WatchMultiplexer implements WatchSource {

    /** The charge of one watch in a stream, in bytes. */
    private static final int CHARGE = 600;

    private static final Logger log = LoggerFactory.getLogger(WatchMultiplexer.class);

    private final WatchService service;
    private final StreamSource reading;
    private final WatchClient client;
    private final WatchFraming framing;
    private final MemoryBudget memory;
    private final CoalescingTask task;
    private final @Nullable Revision[] reached;

    /**
     * The watches by number, null for one that has ended. A run takes one away, and the thread that
     * replaces it puts another one.
     */
    private final AtomicReferenceArray<@Nullable Watch> watches;

    private final ReadyWatches ready;

    /** The time at which the next watch has something to do without a signal. */
    private long due;

    private int revoked;
    private EndReason reason = EndReason.CLOSED;

    /** Whether the watches are about to end. */
    private boolean stopping;

    /** Whether the stream has ended. A watch that is opened afterwards is closed at once. */
    private volatile boolean ended;

    /**
     * What a stream shows of one resource.
     *
     * @param name the resource as the client names it
     * @param permission the permission that the client needs for it
     */
    record StreamPart(String name, SelectedWatch selected, Permission permission) {}

    /** Selects what a stream shows of a resource whose watch is replaced. Thread-safe. */
    @FunctionalInterface
    interface PartSource {

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
     * @param threads runs what may wait, each task on a thread of its own
     */
    record StreamSource(PartSource parts, StreamCursor cursors, Revision min, Executor threads) {}

    /** The place of a watch in a stream: one object, because there are many. */
    private record Place(WatchMultiplexer stream, int number)
            implements Subscription.Listener, FrameEncoder.EventLead {

        @Override
        public void signal() {
            stream.ready.signal(number);
        }

        @Override
        public byte[] after(@Nullable Revision revision) {
            return revision == null ? stream.lead("") : stream.lead(number, revision);
        }

        @Override
        public byte[] afterLoss() {
            return stream.lead(number, null);
        }
    }

    private WatchMultiplexer(
            WatchService service,
            StreamSource reading,
            WatchClient client,
            WatchFraming framing,
            MemoryBudget memory,
            List<@Nullable Revision> reached) {
        this.service = service;
        this.reading = reading;
        this.client = client;
        this.framing = framing;
        this.memory = memory;
        this.task = client.task();
        this.reached = reached.toArray(new @Nullable Revision[0]);
        this.watches = new AtomicReferenceArray<>(reached.size());
        this.ready = new ReadyWatches(reached.size(), task);
        this.due = never();
    }

    private long never() {
        return task.now() + WatchSchedule.MAX.toNanos();
    }

    /**
     * Opens a stream, which is then to be started.
     *
     * @param parts what it shows of its resources
     * @param reached the position of the client
     * @throws Rejection if a resource cannot be watched, or there is no memory for the stream
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the thread is interrupted before the stream is open
     */
    static WatchConnection open(
            WatchService service,
            List<StreamPart> parts,
            StreamSource reading,
            List<@Nullable Revision> reached,
            Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        DisconnectListener.requireWholeRequest(exchange.request());
        MemoryBudget memory = exchange.memory().responses();
        if (!memory.tryAcquire(charge(reached.size()))) {
            throw new Rejection(StatusErrors.outOfMemory());
        }
        WatchMultiplexer stream = null;
        boolean opened = false;
        try {
            SelectedWatch first = parts.getFirst().selected();
            FrameEncoder frames = first.frames();
            WatchClient client = service.client(first.wanted(), frames, exchange);
            stream =
                    new WatchMultiplexer(
                            service, reading, client, frames.watchFraming(), memory, reached);
            for (int number = 0; number < parts.size(); number++) {
                stream.open(number, parts.get(number));
            }
            WatchConnection connection = service.connect(stream, client, frames, exchange);
            opened = true;
            return connection;
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

    private void open(int number, StreamPart part) throws Rejection, InterruptedException {
        Place place = new Place(this, number);
        CollectionRequest wanted = part.selected().wanted();
        FrameEncoder named = part.selected().frames().in(part.name(), place);
        watches.set(
                number,
                service.open(
                        service.begin(wanted, named, reading.min()),
                        client,
                        place,
                        part.permission()));
    }

    @Override
    public NextStep next() {
        if (!stopping && task.isEndRequested()) {
            stopping = true;
            ready.addAll();
        }
        NextStep next = null;
        while (next == null) {
            if (ready.takeNext()) {
                next = run(ready.last());
            } else if (isOver()) {
                next = new NextStep.End(reason);
            } else if (task.now() - due < 0) {
                next = new NextStep.Rest(due);
            } else {
                due = never();
                ready.addAll();
            }
        }
        return next;
    }

    /** Returns null if a watch has nothing to send. */
    private @Nullable NextStep run(int number) {
        Watch watch = watches.get(number);
        if (watch == null) {
            return null;
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
    private void ended(int number, Watch watch, EndReason why) {
        boolean again =
                switch (why) {
                    case EXPIRED, GAP, RESET -> true;
                    case TIMEOUT, CLOSED, STALLED -> false;
                };
        if (watch.isRevoked()) {
            revoked++;
        } else if (again && !stopping) {
            Revision after = reached[number];
            reading.threads().execute(() -> replace(number, after));
        } else if (!stopping) {
            reason = why;
            task.requestEnd();
        }
    }

    private void replace(int number, @Nullable Revision after) {
        try {
            open(number, reading.parts().select(number, after));
            if (ended) {
                end(number, EndReason.CLOSED);
            }
            ready.signal(number);
        } catch (Rejection | InterruptedException refused) {
            // The client gets the reason when it connects again.
            log.debug("Cannot continue a stream of several resources: {}", refused.toString());
            task.requestEnd();
        } catch (RuntimeException | Error bug) {
            log.error("A watch of several resources failed", bug);
            task.requestEnd();
        }
    }

    @Override
    public Watch sender() {
        return Objects.requireNonNull(watches.get(ready.last()));
    }

    /** Returns what begins an event after which the client has reached a revision, or nothing. */
    private byte[] lead(int number, @Nullable Revision after) {
        reached[number] = after;
        return lead(reading.cursors().encode(Arrays.asList(reached)));
    }

    private byte[] lead(String cursor) {
        return framing.lead(cursor).getBytes(UTF_8);
    }

    @Override
    public void releaseIfStopping() {
        if (task.isEndRequested()) {
            for (int number = 0; number < watches.length(); number++) {
                Watch watch = watches.get(number);
                if (watch != null) {
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
        memory.release(charge(reached.length));
    }

    private void end(int number, EndReason why) {
        Watch watch = watches.getAndSet(number, null);
        if (watch != null) {
            watch.end(why);
        }
    }

    /**
     * The watches of a stream that have something to do, by number. They take turns, so that none
     * waits forever.
     */
    static final class ReadyWatches {

        /**
         * 1 for each watch that has something to do. A thread that changes what the watch depends
         * on sets it afterwards, and then signals the task. A run clears it before the watch looks
         * at what it depends on, so a change that the watch does not see sets it again, and the
         * signal submits another run.
         */
        private final AtomicIntegerArray ready;

        private final CoalescingTask task;

        /** The number of the watch that has been taken last. Confined to the runs of the task. */
        private int last;

        /**
         * Creates watches of which each has something to do.
         *
         * @param task the task that is signaled, which takes the watches
         */
        ReadyWatches(int count, CoalescingTask task) {
            this.ready = new AtomicIntegerArray(count);
            this.task = task;
            this.last = count - 1;
            addAll();
        }

        /** Adds a watch, and signals the task. Thread-safe. */
        void signal(int number) {
            ready.set(number, 1);
            task.signal();
        }

        /** Adds all watches. Thread-safe. */
        void addAll() {
            for (int number = 0; number < ready.length(); number++) {
                ready.set(number, 1);
            }
        }

        /**
         * Adds the watch that was taken last, after all others. Confined to the runs of the task.
         */
        void addLast() {
            ready.set(last, 1);
        }

        /** Returns the number that was taken last. Confined to the runs of the task. */
        int last() {
            return last;
        }

        /**
         * Takes the next watch after the last one. Confined to the runs of the task.
         *
         * @return whether there is one
         */
        boolean takeNext() {
            int count = ready.length();
            for (int i = 1; i <= count; i++) {
                int number = (last + i) % count;
                if (ready.get(number) == 1) {
                    ready.set(number, 0);
                    last = number;
                    return true;
                }
            }
            return false;
        }
    }
}
