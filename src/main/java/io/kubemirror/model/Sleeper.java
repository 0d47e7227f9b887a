package io.kubemirror.model;

import java.time.Duration;

/** Waits for a duration: {@code Thread::sleep}, or a test's implementation. */
@FunctionalInterface
public interface Sleeper {

    /**
     * Waits.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    void sleep(Duration duration) throws InterruptedException;
}
