package io.kubemirror.reflector;

/** The state machine without a loop and without a thread: one state in, the next one out. */
final class Machine {

    private final Equipment equipment;
    private final Resolver resolver;
    private final Streamer streamer;
    private final Lister lister;
    private final Watcher watcher;
    private final Prober prober;

    Machine(Equipment equipment) {
        Synchroniser synchroniser = new Synchroniser(equipment);
        this.equipment = equipment;
        this.resolver = new Resolver(equipment);
        this.lister = new Lister(equipment, synchroniser);
        this.watcher = new Watcher(equipment);
        this.prober = new Prober(equipment);
        this.streamer = new Streamer(equipment, synchroniser, watcher);
    }

    /**
     * Goes from a state to the next one; blocks for as long as that takes.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    State step(State state) throws InterruptedException {
        return switch (state) {
            case State.Resolving resolving -> resolver.step(resolving);
            case State.Synchronising synchronising -> streamer.begin(synchronising);
            case State.Listing listing -> lister.begin(listing);
            case State.Paging paging -> lister.step(paging);
            case State.Streaming streaming -> streamer.step(streaming);
            case State.Probing probing -> prober.step(probing);
            case State.Opening opening -> watcher.open(opening);
            case State.Watching watching -> watcher.step(watching);
            case State.Resting resting -> rest(resting);
        };
    }

    private State rest(State.Resting resting) throws InterruptedException {
        equipment.surroundings().sleeper().sleep(resting.delay());
        return resting.next();
    }
}
