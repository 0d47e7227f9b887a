package io.kubemirror.model;

import java.time.Duration;

/** Lets time pass: {@code Thread::sleep}, or a test's own. */
@FunctionalInterface
public interface Sleeper {

    /**
     * Waits.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    void sleep(Duration duration) throws InterruptedException;
}
