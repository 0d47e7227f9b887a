package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.revision;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.SimulatedSource.ServerBehavior;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.source.WatchStream;

import org.jspecify.annotations.Nullable;

/**
 * A stream from a simulated server. Frames arrive in simulated time, whether they are read or not.
 */
final class SimulatedWatch implements WatchStream {

    /** The interval of bookmarks while nothing changes (list-watch.md#bm-4). */
    private static final Duration BOOKMARKS = Duration.ofMinutes(1);

    private final Simulation simulation;
    private final WatchRequest request;
    private final SelectionFilter scope;
    private final SimulatedHistory timeline;
    private final Instant opened;
    private final Duration timeout;
    private final boolean coalesces;

    /** Initial events that have not been sent. */
    private final Deque<KubeObject> initial = new ArrayDeque<>();

    /** The frames that were sent after the initial events. */
    private final List<WatchFrame> sent = new ArrayList<>();

    /** The frames that were sent and not read yet. */
    private final Deque<WatchFrame> arrived = new ArrayDeque<>();

    /** How many frames may arrive before they are read, negative for any number. */
    private int room;

    private boolean initialEventsPending;
    private long position;
    private Instant bookmarked;
    private boolean silent;
    private boolean closed;
    private @Nullable WatchFrame ending;

    /**
     * A stream that sends what happened after a revision.
     *
     * @param behavior how the server treats it
     */
    SimulatedWatch(
            Simulation simulation,
            SelectionFilter scope,
            WatchRequest request,
            long position,
            ServerBehavior behavior) {
        this.simulation = simulation;
        this.scope = scope;
        this.request = request;
        this.timeline = simulation.server().now();
        this.room = simulation.random().nextInt(6) == 0 ? 1 + simulation.random().nextInt(12) : -1;
        this.opened = simulation.now();
        this.bookmarked = opened;
        this.timeout =
                request.timeout().compareTo(behavior.patience()) < 0
                        ? request.timeout()
                        : behavior.patience();
        this.coalesces = behavior.coalesces();
        this.position = position;
        this.initialEventsPending = request.initialEvents();
        if (initialEventsPending) {
            initial.addAll(scope.of(timeline.at(position).values()));
        }
    }

    /** Whether neither side has ended it. */
    boolean isOpen() {
        return !closed && ending == null;
    }

    /** Whether something of it may still be read. */
    boolean isReadable() {
        return !closed && (ending == null || !arrived.isEmpty());
    }

    /** Whether frames have arrived that have not been read yet. */
    boolean hasBacklog() {
        return !closed && request.ahead() && !arrived.isEmpty();
    }

    /**
     * Sends what there is.
     *
     * @param count how many of the initial events at most; with 0 nothing is sent at all
     */
    void receive(int count) {
        if (!isOpen() || silent) {
            return;
        }
        if (simulation.now().isAfter(opened.plus(timeout))) {
            endInTime();
            return;
        }
        if (simulation.server().forgot(position)) {
            end(new WatchFrame.Failed(new Status(410, "Expired", "too old", null)));
            return;
        }
        for (int i = 0; i < count && !initial.isEmpty(); i++) {
            send(new WatchFrame.Added(initial.removeFirst(), null, null));
        }
        if (initial.isEmpty() && count > 0) {
            catchUp();
        }
    }

    /** Most servers send a last bookmark, which tells nothing that they have not sent. */
    private void endInTime() {
        boolean complete = !initialEventsPending && !simulation.server().forgot(position);
        if (complete && simulation.random().nextInt(4) > 0) {
            catchUp();
            if (isOpen() && position <= timeline.revision()) {
                position = timeline.revision();
                send(new WatchFrame.Bookmark(revision(position), false));
            }
        }
        end(new WatchFrame.Ended());
    }

    /** Initial events end with the state they came from, or with all that happened meanwhile. */
    private void catchUp() {
        if (initialEventsPending && simulation.random().nextBoolean()) {
            endInitialEvents();
        }
        List<SimulatedHistory.SimulatedEvent> events =
                timeline.between(position, timeline.revision());
        for (int i = 0; i < events.size() && ending == null; i++) {
            if (!coalesces
                    || i + 1 == events.size()
                    || !isReplaced(events.get(i), events.get(i + 1))) {
                send(events.get(i));
            }
            position = events.get(i).revision();
        }
        if (initialEventsPending) {
            position = timeline.revision();
            endInitialEvents();
        }
    }

    /** Whether an object comes again at once, so that its deletion could be left out. */
    private boolean isReplaced(
            SimulatedHistory.SimulatedEvent gone, SimulatedHistory.SimulatedEvent come) {
        KubeObject before = gone.before();
        KubeObject after = come.after();
        return gone.after() == null
                && before != null
                && after != null
                && before.key().equals(after.key())
                && scope.holds().test(after);
    }

    private void endInitialEvents() {
        initialEventsPending = false;
        send(new WatchFrame.Bookmark(revision(position), true));
    }

    /** Returns the event as a client with the scope sees it (list-watch.md#ev-1 to #ev-4). */
    private void send(SimulatedHistory.SimulatedEvent event) {
        KubeObject before = event.before();
        KubeObject after = event.after();
        boolean was = before != null && scope.holds().test(before);
        if (after != null && scope.holds().test(after)) {
            send(
                    was
                            ? new WatchFrame.Modified(after, null)
                            : new WatchFrame.Added(after, null, null));
        } else if (before != null && was) {
            send(new WatchFrame.Deleted(before.at(revision(event.revision()))));
        }
    }

    private void send(WatchFrame frame) {
        arrive(frame);
        if (!initialEventsPending) {
            sent.add(frame);
        }
    }

    private void arrive(WatchFrame frame) {
        arrived.addLast(frame);
        if (request.ahead() && arrived.size() == room) {
            end(new WatchFrame.Broken("too many watch events are buffered", BrokenKind.CUT));
        }
    }

    /** Sends the revision of the stream or, if the stream is complete, of the server. */
    void bookmark() {
        if (initialEventsPending && isOpen() && !silent) {
            send(new WatchFrame.Bookmark(revision(position), false));
            return;
        }
        bookmarked = simulation.now();
        receive(Integer.MAX_VALUE);
        if (isOpen() && !silent && position <= timeline.revision()) {
            position = timeline.revision();
            send(new WatchFrame.Bookmark(revision(position), false));
        }
    }

    /** Ends the stream as it should end, after everything has been sent. */
    void finish() {
        receive(Integer.MAX_VALUE);
        end(new WatchFrame.Ended());
    }

    /** Breaks the connection; what is on its way is lost, unless it was read ahead. */
    void sever() {
        initial.clear();
        if (!request.ahead()) {
            arrived.clear();
        }
        end(cut());
    }

    void disturb(FaultPlan.Disturbance disturbance) {
        if (!isOpen() || silent) {
            return;
        }
        simulation.note("server", disturbance);
        switch (disturbance) {
            case END -> end(new WatchFrame.Ended());
            case BRIEF -> {
                bookmark();
                end(new WatchFrame.Ended());
            }
            case CUT -> end(cut());
            case SILENCE -> silent = true;
            case GARBAGE -> end(new WatchFrame.Untrackable("no JSON"));
            case UNTRACKABLE -> arrive(new WatchFrame.Untrackable("no revision"));
            case FOREIGN -> arrive(new WatchFrame.Foreign("another kind"));
            case DUPLICATE -> {
                if (!sent.isEmpty()) {
                    arrive(sent.get(simulation.random().nextInt(sent.size())));
                }
            }
            case FAILURE -> end(simulation.faultPlan().failedStream());
        }
    }

    private static WatchFrame cut() {
        return new WatchFrame.Broken("the connection was reset", BrokenKind.CUT);
    }

    private void end(WatchFrame how) {
        if (ending == null) {
            ending = how;
        }
    }

    @Override
    public WatchFrame next() {
        WatchFrame frame = await();
        simulation.note("frame", frame);
        simulation.tell(FakeSource.revision(frame));
        return frame;
    }

    private WatchFrame await() {
        while (arrived.isEmpty()) {
            if (closed) {
                return cut();
            }
            if (ending != null) {
                return ending;
            }
            idle();
        }
        return arrived.removeFirst();
    }

    /** Nothing is there, so time goes by. */
    private void idle() {
        if (silent) {
            simulation.pass(initialEventsPending ? request.initialSilence() : request.silence());
            end(new WatchFrame.Broken("the server did not respond in time", BrokenKind.SILENT));
            return;
        }
        receive(Integer.MAX_VALUE);
        if (arrived.isEmpty() && ending == null) {
            simulation.pass(Duration.ofMillis(1 + simulation.random().nextInt(20_000)));
            if (simulation.now().isAfter(bookmarked.plus(BOOKMARKS))) {
                bookmark();
            }
        }
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public String toString() {
        return "after " + position;
    }
}
