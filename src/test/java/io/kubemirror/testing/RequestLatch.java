package io.kubemirror.testing;

import module java.base;

/** Blocks requests until a test opens the latch, and never again. */
public final class RequestLatch {

    private final CountDownLatch opened = new CountDownLatch(1);

    /** Releases the blocked request and all later ones. */
    public void open() {
        opened.countDown();
    }

    public void pass() {
        if (!WaitLimit.interruptibly(opened::await)) {
            throw new AssertionError("the gate was never opened");
        }
    }
}
