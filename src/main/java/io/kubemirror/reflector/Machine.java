package io.kubemirror.reflector;

import io.kubemirror.kube.Failure;
import io.kubemirror.mirror.OverBudgetException;

/** The state machine without a loop and without a thread: one state in, the next one out. */
final class Machine {

    private final Equipment equipment;
    private final Resolver resolver;
    private final Streamer streamer;
    private final Lister lister;
    private final Watcher watcher;
    private final Prober prober;
    private final Turn turn;

    Machine(Equipment equipment) {
        Synchroniser synchroniser = new Synchroniser(equipment);
        this.equipment = equipment;
        this.resolver = new Resolver(equipment);
        this.turn = new Turn(equipment.surroundings().turns());
        this.watcher = new Watcher(equipment);
        this.lister = new Lister(equipment, synchroniser, watcher);
        this.prober = new Prober(equipment);
        this.streamer = new Streamer(equipment, synchroniser, watcher);
    }

    /**
     * Goes from a state to the next one; blocks for as long as that takes.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    State step(State state) throws InterruptedException {
        turn.hold(isFetching(state));
        State next = nextOrOverBudget(state);
        if (!holdsObjects(next)) {
            equipment.writer().discard();
        }
        return next;
    }

    private State nextOrOverBudget(State state) throws InterruptedException {
        try {
            return next(state);
        } catch (OverBudgetException tooLarge) {
            stop(state);
            return equipment.overBudget(tooLarge);
        }
    }

    /** Whether what has been fetched so far is kept in the state. */
    private static boolean holdsObjects(State state) {
        return switch (state) {
            case State.Streaming _, State.Paging _, State.Overlapping _, State.CatchingUp _ -> true;
            case State.Resolving _,
                    State.Synchronising _,
                    State.Listing _,
                    State.Opening _,
                    State.Probing _,
                    State.Watching _,
                    State.Resting _ ->
                    false;
        };
    }

    private State next(State state) throws InterruptedException {
        return switch (state) {
            case State.Resolving resolving -> resolver.step(resolving);
            case State.Synchronising synchronising -> streamer.begin(synchronising);
            case State.Listing listing -> lister.begin(listing);
            case State.Paging paging -> lister.step(paging);
            case State.Streaming streaming -> streamer.step(streaming);
            case State.Overlapping overlapping -> lister.overlap().step(overlapping);
            case State.CatchingUp catchingUp -> lister.overlap().step(catchingUp);
            case State.Opening opening -> watcher.open(opening);
            case State.Probing probing -> prober.step(probing);
            case State.Watching watching -> watcher.step(watching);
            case State.Resting resting -> rest(resting);
        };
    }

    /** Does nothing more; what is open in the state is closed. */
    void stop(State state) {
        turn.giveUp();
        equipment.writer().discard();
        switch (state) {
            case State.Watching watching -> watching.stream().close();
            case State.Probing probing -> probing.watching().stream().close();
            case State.Streaming streaming -> streaming.stream().close();
            case State.Overlapping overlapping -> overlapping.tail().close();
            case State.CatchingUp catchingUp -> catchingUp.stream().close();
            case State.Resolving _,
                    State.Synchronising _,
                    State.Listing _,
                    State.Paging _,
                    State.Opening _,
                    State.Resting _ -> {}
        }
    }

    /** Whether the server has to send the whole collection (BO-7). */
    private static boolean isFetching(State state) {
        return switch (state) {
            case State.Synchronising _,
                    State.Streaming _,
                    State.Listing _,
                    State.Paging _,
                    State.Overlapping _ ->
                    true;
            case State.Resolving _,
                    State.CatchingUp _,
                    State.Opening _,
                    State.Probing _,
                    State.Watching _,
                    State.Resting _ ->
                    false;
        };
    }

    private State rest(State.Resting resting) throws InterruptedException {
        Failure.Unreachable unreached = resting.unreached();
        if (unreached == null) {
            equipment.surroundings().sleeper().sleep(resting.delay());
        } else if (equipment.surroundings().probe().await(resting.delay(), unreached.refused())) {
            equipment.surroundings().sleeper().sleep(equipment.setbacks().serverReturned());
        }
        return resting.next();
    }
}
