package io.kubemirror.ops;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Sleeper;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Collects the garbage of the start, once, some seconds after all mirrors have content. The JVM
 * would keep it until the heap is full, which takes days where little changes and no memory limit
 * is set.
 *
 * <p>Large mirrors are left alone: the collection would pause the process, and what they need is
 * much more than what the start leaves behind.
 */
public final class StartupCollector implements ApplicationListener<ApplicationReadyEvent> {

    /** A mirror that has no content by then is not waited for, in total. */
    private static final Duration LIMIT = Duration.ofMinutes(10);

    /** Lets the first requests of clients pass. */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    /** What mirrors and clients may hold, in bytes. A collection of it takes some 50 ms. */
    static final long LARGEST = 32L << 20;

    private final MirrorSet mirrors;
    private final LongSupplier used;
    private final Sleeper sleeper;
    private final Runnable collector;

    /**
     * Creates a collector that waits for the application to be ready.
     *
     * @param used the bytes that mirrors and clients hold
     * @param collector collects garbage
     */
    public StartupCollector(
            MirrorSet mirrors, LongSupplier used, Sleeper sleeper, Runnable collector) {
        this.mirrors = mirrors;
        this.used = used;
        this.sleeper = sleeper;
        this.collector = collector;
    }

    @Override
    public void onApplicationEvent(ApplicationReadyEvent event) {
        Thread.ofVirtual().name("startup-collector").start(this::collect);
    }

    void collect() {
        try {
            for (Mirror mirror : mirrors.stream().toList()) {
                var _ = mirror.await(Revision.ZERO, LIMIT);
            }
            sleeper.sleep(PAUSE);
            if (used.getAsLong() <= LARGEST) {
                collector.run();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
