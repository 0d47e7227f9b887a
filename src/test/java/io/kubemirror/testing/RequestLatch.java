package io.kubemirror.testing;

import java.util.concurrent.CountDownLatch;

/** Holds a request up until a test opens it; open gates stay open. */
public final class RequestLatch {

    private final CountDownLatch arrived = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);

    /**
     * Waits until a request stands at the gate.
     *
     * @throws AssertionError if none comes
     */
    public void awaitArrival() {
        if (!WaitLimit.interruptibly(arrived::await)) {
            throw new AssertionError("no request came to the gate");
        }
    }

    /** Lets the waiting request and all later ones pass. */
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
