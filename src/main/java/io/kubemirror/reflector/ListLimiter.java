package io.kubemirror.reflector;

import module java.base;

/**
 * Limits the number of concurrent lists of all reflectors in a process (list-watch.md#bo-7).
 * Permits are granted in the order of requests. Safe for use by any number of threads.
 */
public final class ListLimiter {

    private final Semaphore free;

    /**
     * Creates a limiter.
     *
     * @param number the maximum number of concurrent lists, at least 1
     */
    public ListLimiter(int number) {
        this.free = new Semaphore(number, /* fair= */ true);
    }

    /** Returns a permit that is not held. */
    ListPermit permit() {
        return new ListPermit();
    }

    /**
     * The permit of one reflector to fetch a list, which it holds only while it fetches. One thread
     * acquires it, and any may release it.
     */
    final class ListPermit {

        private final AtomicBoolean held = new AtomicBoolean();

        private ListPermit() {}

        /**
         * Acquires the permit if it is needed, and releases it otherwise. Blocks until a permit is
         * available.
         *
         * @throws InterruptedException if the thread is interrupted while it waits
         */
        void acquire(boolean needed) throws InterruptedException {
            if (needed && !held.get()) {
                free.acquire();
                held.set(true);
            } else if (!needed) {
                release();
            }
        }

        /** Releases the permit, if it is held. */
        void release() {
            if (held.getAndSet(false)) {
                free.release();
            }
        }
    }
}
