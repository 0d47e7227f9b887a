package io.kubemirror.testing;

import module java.base;

/** Blocks requests until a test opens the latch, and never again. */
public final class RequestLatch {

    private final CountDownLatch arrived = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);

    /**
     * Waits until a request is blocked.
     *
     * @throws AssertionError if none comes
     */
    public void awaitArrival() {
        if (!WaitLimit.interruptibly(arrived::await)) {
            throw new AssertionError("no request came to the gate");
        }
    }

    /** Releases the blocked request and all later ones. */
    public void open() {
        opened.countDown();
    }

    public void pass() {
        arrived.countDown();
        if (!WaitLimit.interruptibly(opened::await)) {
            throw new AssertionError("the gate was never opened");
        }
    }
}
