package io.kubemirror.reflector;

import java.util.concurrent.Semaphore;

/**
 * The bound that all reflectors of a process share on lists which are fetched at the same time
 * (list-watch.md#bo-7); served in the order of asking. Used by any number of threads.
 */
public final class ListLimiter {

    private final Semaphore free;

    /**
     * Turns for a number of lists at once.
     *
     * @param number at least 1
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
