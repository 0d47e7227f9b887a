package io.kubemirror.reflector;

/** One reflector's claim on the shared turns: it has one exactly while it fetches. */
final class Turn {

    private final Turns turns;
    private boolean held;

    Turn(Turns turns) {
        this.turns = turns;
    }

    /**
     * Has a turn or not from now on; waits for one if need be.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    void hold(boolean needed) throws InterruptedException {
        if (needed && !held) {
            turns.take();
            held = true;
        } else if (!needed) {
            giveUp();
        }
    }

    /** Has none from now on. */
    void giveUp() {
        if (held) {
            held = false;
            turns.giveBack();
        }
    }
}
