package io.kubemirror.reflector;

/** The permit of one reflector to fetch a list, which it holds only while it fetches. */
final class ListPermit {

    private final ListLimiter limiter;
    private boolean held;

    ListPermit(ListLimiter limiter) {
        this.limiter = limiter;
    }

    /**
     * Acquires the permit if it is needed, and releases it otherwise. Blocks until a permit is
     * available.
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

    /** Releases the permit, if it is held. */
    void release() {
        if (held) {
            held = false;
            limiter.release();
        }
    }
}
