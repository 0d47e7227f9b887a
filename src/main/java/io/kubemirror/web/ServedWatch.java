package io.kubemirror.web;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * A watch while it is served: does what its loop says, in turns.
 *
 * <p>It has a turn whenever something may be different for it: a change has come, a write has been
 * finished, its time has passed, it should end. A turn never waits, and what takes long takes
 * several, so that other watches have theirs in between.
 */
final class ServedWatch {

    private static final Logger log = LoggerFactory.getLogger(ServedWatch.class);

    /** Portions that are sent in one turn. */
    private static final int PORTIONS = 4;

    private final Turns turns;
    private final WatchLoop loop;
    private final Client client;
    private final Consumer<WatchEnd> leaving;
    private final Consumer<@Nullable IOException> written = this::written;
    private Runnable answered = () -> {};
    private boolean ended;

    /**
     * True from before a write is handed over until it is finished. Cleared by the thread that
     * finishes it, after it has said whether it failed and before it rings for the next turn. All
     * fields that are not volatile are for turns alone, see {@link Turns}.
     */
    private volatile boolean writing;

    private volatile @Nullable IOException failure;

    /**
     * What a watch deals with besides its loop.
     *
     * @param sink where its frames go
     * @param alarm rings for a turn when its time has passed
     * @param pin what it holds while it sends its first events
     */
    record Client(Sink sink, Alarm alarm, Pin pin) {}

    /**
     * A watch that stands and has sent nothing.
     *
     * @param turns its own
     * @param loop says what to do
     * @param leaving told once why the watch is over
     */
    ServedWatch(Turns turns, WatchLoop loop, Client client, Consumer<WatchEnd> leaving) {
        this.turns = turns;
        this.loop = loop;
        this.client = client;
        this.leaving = leaving;
    }

    /**
     * Begins to serve it, on another thread.
     *
     * @param answered told at the end, by the crew
     */
    void start(Runnable answered) {
        this.answered = answered;
        turns.begin(this::turn);
    }

    private void turn() {
        if (ended || writing) {
            return;
        }
        try {
            proceed();
        } catch (IOException broken) {
            log.debug("A client went away: {}", broken.toString());
            end(WatchEnd.of(broken));
        } catch (RuntimeException bug) {
            log.error("A watch failed", bug);
            end(WatchEnd.CLOSED);
        }
    }

    private void proceed() throws IOException {
        if (failure != null) {
            throw failure;
        }
        int portions = 0;
        while (portions < PORTIONS && goesOn()) {
            portions++;
        }
        if (portions == PORTIONS) {
            turns.ring();
        }
    }

    private boolean goesOn() throws IOException {
        client.pin().hold(loop.isInitial());
        return switch (loop.next()) {
            case Next.Send(Portion portion) -> send(portion);
            case Next.Rest(var until) -> {
                client.alarm().set(until);
                yield false;
            }
            case Next.End(WatchEnd end) -> {
                end(end);
                yield false;
            }
        };
    }

    private boolean send(Portion portion) throws IOException {
        writing = true;
        if (client.sink().send(portion, written)) {
            writing = false;
            return true;
        }
        return false;
    }

    /** On a thread of the container, or before the sink has returned. */
    private void written(@Nullable IOException why) {
        failure = why;
        writing = false;
        turns.ring();
    }

    private void end(WatchEnd why) {
        ended = true;
        client.alarm().cancel();
        client.pin().close();
        loop.close();
        leaving.accept(why);
        answered.run();
    }
}
