package io.kubemirror.api.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Logs one line when a shutdown begins, and one when it is over: after the web servers and the
 * mirrors have stopped. Used by the thread that closes the application.
 *
 * <p>It must not depend on beans that stop earlier, because Spring stops it before what it depends
 * on.
 */
public final class ShutdownReport implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(ShutdownReport.class);

    /** The name of Boot's thread that closes the application when the JVM ends. */
    private static final String HOOK = "SpringApplicationShutdownHook";

    private final LongSupplier nanos;
    private volatile boolean running;
    private boolean begun;
    private long since;
    private long watches;
    private int cut;

    /**
     * Creates a report of a shutdown that has not begun.
     *
     * @param nanos a monotonic clock in nanoseconds
     */
    public ShutdownReport(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /**
     * Logs the beginning.
     *
     * @param requests the number of requests in progress
     * @param watches how many of them are watches
     * @param delay the time until they end
     * @param limit the maximum time until the last of them has ended
     */
    void begin(int requests, long watches, Duration delay, Duration limit) {
        this.begun = true;
        this.since = nanos.getAsLong();
        this.watches = watches;
        String reason =
                HOOK.equals(Thread.currentThread().getName())
                        ? "a signal, or an exit of the process"
                        : "the application is closed";
        log.atInfo()
                .addKeyValue("event.action", "shutdown-begun")
                .addKeyValue("kubemirror.requests", requests)
                .addKeyValue("kubemirror.watches", watches)
                .log(
                        "shutting down ({}): {} open watches and {} other requests; they end after"
                                + " {} ms, within {} ms",
                        reason,
                        watches,
                        Math.max(0, requests - watches),
                        delay.toMillis(),
                        limit.toMillis());
    }

    /**
     * Records that no request is served any more.
     *
     * @param cut the number of requests whose responses are incomplete
     */
    void served(int cut) {
        this.cut = cut;
    }

    /** The last phase in which the log is written; Boot closes it in the following one. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE + 2;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        if (begun) {
            Duration took = Duration.ofNanos(nanos.getAsLong() - since);
            log.atInfo()
                    .addKeyValue("event.action", "shutdown-ended")
                    .addKeyValue("event.duration", took.toNanos())
                    .addKeyValue("kubemirror.watches", watches)
                    .addKeyValue("kubemirror.cut", cut)
                    .log(
                            "shut down in {} ms: {} watches ended, {} responses were cut",
                            took.toMillis(),
                            watches,
                            cut);
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
