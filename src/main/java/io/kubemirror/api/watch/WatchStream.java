package io.kubemirror.api.watch;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.http.DisconnectListener;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.http.StreamCursor;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.api.watch.WatchSession.EndReason;
import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Revision;

import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * One response to a client that watches several resources (list-watch.md#streams): a watch of each,
 * whose runs alternate, and which share a sink.
 *
 * <p>The watches are ordinary ones, but for the beginning of each event: it has the cursor of the
 * stream, which is the position of all of them. If the history of one is gone, or begins again,
 * another watch of the same resource takes its place. Any other end of one ends the stream.
 *
 * <p>This is the executor of its watches. It runs one step at a time on the {@link WatchExecutor},
 * and then queues behind the watches of other clients. All fields that are not final or volatile
 * are confined to these steps.
 */
public final class WatchStream implements OpenedWatch, Executor, WatchSession.FrameSink {

    /** The charge of one watch in a stream, in bytes. */
    private static final int CHARGE = 1_400;

    private static final Logger log = LoggerFactory.getLogger(WatchStream.class);

    private final WatchService service;
    private final Reading reading;
    private final StreamClient client;
    private final CoalescingTask task;
    private final Executor threads;
    private final long end;
    private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
    private final @Nullable Revision[] reached;
    private final WatchSession[] watches;

    /** The watches that wait until the pending write is finished. */
    private final Set<CoalescingTask> waiting = new LinkedHashSet<>(0);

    private Optional<DisconnectListener> disconnectListener = Optional.empty();
    private Runnable answered = () -> {};
    private int open;
    private boolean ending;

    /** Whether a write is pending. A step begins it, and another one is queued when it ends. */
    private boolean writing;

    /**
     * What a stream shows of one resource.
     *
     * @param name the resource as the client names it
     * @param permission the permission that the client needs for it
     */
    public record StreamPart(
            String name, CollectionRequest wanted, FrameEncoder frames, Permission permission) {}

    /** Selects what a stream shows of its resources. Thread-safe. */
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
    record Reading(PartSource parts, StreamCursor cursors, Revision min) {}

    /**
     * The client of a stream that has been sent the headers.
     *
     * @param memory what the stream is charged to
     */
    private record StreamClient(
            WatchSession.FrameSink sink,
            WatchFraming framing,
            WatchSession.Watcher watcher,
            MemoryBudget memory) {}

    /** A watch that is about to be opened. */
    private record BegunPart(int number, StreamPart part, WatchPhase start) {}

    private WatchStream(
            WatchService service,
            Reading reading,
            StreamClient client,
            List<@Nullable Revision> reached,
            Duration length,
            Executor threads) {
        this.service = service;
        this.reading = reading;
        this.client = client;
        this.reached = reached.toArray(new @Nullable Revision[0]);
        this.threads = threads;
        this.open = reached.size();
        this.watches = new WatchSession[open];
        this.task = service.task();
        this.end = service.now() + length.toNanos();
    }

    /**
     * Opens a stream, which is then to be started.
     *
     * @param reached the position of the client
     * @param threads runs what may wait, each task on a thread of its own
     */
    static WatchStream open(
            WatchService service,
            Reading reading,
            List<@Nullable Revision> reached,
            Exchange exchange,
            Executor threads)
            throws Rejection, IOException, InterruptedException {
        MemoryBudget memory = exchange.memory().responses();
        if (!memory.tryAcquire(charge(reached.size()))) {
            throw new Rejection(StatusErrors.outOfMemory());
        }
        boolean opened = false;
        try {
            List<BegunPart> begun = new ArrayList<>();
            for (int number = 0; number < reached.size(); number++) {
                begun.add(begin(service, reading, number, reached.get(number)));
            }
            StreamPart first = begun.getFirst().part();
            StreamClient client =
                    new StreamClient(
                            WatchService.sendHeaders(first.frames(), exchange),
                            first.frames().watchFraming(),
                            service.watcher(first.wanted(), exchange),
                            memory);
            Duration length = service.length(first.wanted().options().streaming());
            WatchStream stream =
                    new WatchStream(service, reading, client, reached, length, threads);
            begun.forEach(one -> stream.watches[one.number()] = stream.open(one));
            stream.endOnDisconnect(exchange.request());
            opened = true;
            return stream;
        } finally {
            if (!opened) {
                memory.release(charge(reached.size()));
            }
        }
    }

    private static int charge(int watches) {
        return watches * CHARGE;
    }

    private static BegunPart begin(
            WatchService service, Reading reading, int number, @Nullable Revision after)
            throws Rejection, InterruptedException {
        StreamPart part = reading.parts().select(number, after);
        return new BegunPart(number, part, service.begin(part.wanted(), reading.min()));
    }

    private WatchSession open(BegunPart begun) {
        int number = begun.number();
        StreamPart part = begun.part();
        return service.open(
                new WatchService.BegunWatch(
                        part.wanted(),
                        begun.start(),
                        part.frames().in(part.name(), after -> lead(number, after))),
                client.watcher().permitted(part.permission()),
                Duration.ofNanos(Math.max(0, end - service.now())),
                number == 0,
                this);
    }

    private void endOnDisconnect(HttpServletRequest request) {
        disconnectListener = DisconnectListener.register(request, () -> execute(this::endWatches));
    }

    @Override
    public void start(Runnable completed) {
        answered = completed;
        for (int number = 0; number < watches.length; number++) {
            start(number, watches[number]);
        }
        task.start(this::step);
    }

    private void start(int number, WatchSession watch) {
        watch.start(() -> ended(number, watch.endReason()));
    }

    /** Queues a step. Thread-safe. */
    @Override
    public void execute(Runnable step) {
        steps.add(step);
        task.signal();
    }

    private void step() {
        Runnable next = steps.poll();
        try {
            if (next != null) {
                next.run();
            }
        } finally {
            if (!steps.isEmpty()) {
                task.signal();
            }
        }
    }

    /**
     * Returns what begins an event, which moves the cursor.
     *
     * @param after the revision that the client has after the event, null if it must not resume
     *     there
     */
    byte[] lead(int number, @Nullable Revision after) {
        if (after == null) {
            return client.framing().lead("").getBytes(UTF_8);
        }
        reached[number] = after;
        return client.framing()
                .lead(reading.cursors().encode(Arrays.asList(reached)))
                .getBytes(UTF_8);
    }

    @Override
    public boolean isFree(CoalescingTask again) {
        if (writing) {
            waiting.add(again);
        }
        return !writing;
    }

    @Override
    public boolean send(FrameBatch batch, Consumer<@Nullable IOException> later)
            throws IOException {
        boolean sent = client.sink().send(batch, why -> execute(() -> written(later, why)));
        writing = !sent;
        return sent;
    }

    /** Lets the other watches write first, so that none of them waits for ever. */
    private void written(Consumer<@Nullable IOException> later, @Nullable IOException why) {
        writing = false;
        waiting.forEach(CoalescingTask::signal);
        waiting.clear();
        later.accept(why);
    }

    /**
     * Replaces a watch whose client needs the state again (list-watch.md#ms-5), or whose mirror has
     * begun a new history, from which it may be able to continue.
     */
    private void ended(int number, EndReason why) {
        boolean again =
                switch (why) {
                    case EXPIRED, GAP -> {
                        reached[number] = null;
                        yield true;
                    }
                    case RESET -> true;
                    case TIMEOUT, CLOSED, STALLED -> false;
                };
        if (again && !ending) {
            Revision after = reached[number];
            threads.execute(() -> replace(number, after));
        } else {
            removed();
        }
    }

    private void replace(int number, @Nullable Revision after) {
        Runnable then = this::removed;
        try {
            WatchSession watch = open(begin(service, reading, number, after));
            then = () -> replaced(watch, number);
        } catch (Rejection refused) {
            // The client gets the reason when it connects again.
            log.debug("Cannot continue a stream of several resources: {}", refused.toString());
        } catch (InterruptedException stopped) {
            log.debug("Stopped before a stream of several resources continues");
        } catch (RuntimeException bug) {
            log.error("A watch of several resources failed", bug);
        }
        execute(then);
    }

    private void replaced(WatchSession watch, int number) {
        watches[number] = watch;
        if (ending) {
            watch.requestEnd();
        }
        start(number, watch);
    }

    private void removed() {
        open--;
        endWatches();
        if (open == 0) {
            disconnectListener.ifPresent(DisconnectListener::stop);
            client.memory().release(charge(watches.length));
            answered.run();
        }
    }

    private void endWatches() {
        if (!ending) {
            ending = true;
            for (WatchSession watch : watches) {
                watch.requestEnd();
            }
        }
    }
}
