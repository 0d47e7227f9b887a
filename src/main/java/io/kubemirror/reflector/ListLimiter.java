package io.kubemirror.reflector;

import java.util.concurrent.Semaphore;

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
        this.free = new Semaphore(number, true);
    }

    void acquire() throws InterruptedException {
        free.acquire();
    }

    void release() {
        free.release();
    }
}
