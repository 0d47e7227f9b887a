package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.testing.WaitLimit;

/** A fault that waits for matching requests, returned by {@link ScriptedApiServer#fault}. */
public final class ArmedFault implements AutoCloseable {

    private final Predicate<ReceivedRequest> when;
    private final ServerFault fault;
    private final AtomicInteger left;
    private final CountDownLatch hit = new CountDownLatch(1);

    ArmedFault(Predicate<ReceivedRequest> when, ServerFault fault, int times) {
        this.when = when;
        this.fault = fault;
        left = new AtomicInteger(times);
    }

    /** Disarms the fault. */
    public void withdraw() {
        left.set(0);
    }

    /** The same as {@link #withdraw}, for try-with-resources. */
    @Override
    public void close() {
        withdraw();
    }

    /**
     * Waits until the fault has affected a request.
     *
     * @throws AssertionError if none does
     */
    public void awaitHit() {
        if (!WaitLimit.interruptibly(hit::await)) {
            throw new AssertionError("no request met the fault " + fault);
        }
    }

    ServerFault fault() {
        return fault;
    }

    /** Returns whether the fault is armed and matches the request, and counts it. */
    boolean appliesTo(ReceivedRequest request) {
        if (!when.test(request) || left.getAndUpdate(times -> Math.max(0, times - 1)) == 0) {
            return false;
        }
        hit.countDown();
        return true;
    }
}
