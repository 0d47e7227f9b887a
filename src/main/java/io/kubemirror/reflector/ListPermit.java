package io.kubemirror.reflector;

/** One reflector's claim on the shared turns: it has one exactly while it fetches. */
final class ListPermit {

    private final ListLimiter limiter;
    private boolean held;

    ListPermit(ListLimiter limiter) {
        this.limiter = limiter;
    }

    /**
     * Has a turn or not from now on; waits for one if need be.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    void acquire(boolean needed) throws InterruptedException {
        if (needed && !held) {
            limiter.acquire();
            held = true;
        } else if (!needed) {
            release();
        }
    }

    /** Has none from now on. */
    void release() {
        if (held) {
            held = false;
            limiter.release();
        }
    }
}
