package io.kubemirror.api.server;

import module java.base;

import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.model.PeriodicThread.Sleeper;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.Assert;

/**
 * Shuts the API down gracefully (list-watch.md#in-6, #in-7), in this order: a delay in which only
 * {@code /readyz} fails; a refusal of new requests; the end of all watches, spread over time so
 * that their clients do not all reconnect elsewhere at once; the last responses.
 *
 * <p>Boot reports the process as not ready before this begins. This bean has the default lifecycle
 * phase, so it stops before the others, on the thread that closes the application. The web server
 * and the reflectors keep running meanwhile. An interrupt of that thread ends all waiting.
 *
 * <p>One line of the log says when it begins, and one when the last request has ended.
 */
public final class GracefulShutdown implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(GracefulShutdown.class);

    /** The maximum time for responses in progress. Slower clients get incomplete responses. */
    private static final Duration LAST_ANSWERS = Duration.ofSeconds(5);

    private final ShutdownProperties plan;
    private final WatchRegistry watches;
    private final RequestTracker requests;
    private final Sleeper sleeper;
    private final LongSupplier nanos;
    private volatile boolean running;

    /**
     * Graceful shutdown (list-watch.md#in-6, #in-7).
     *
     * @param delay How long requests are served while readiness reports the shutdown.
     * @param watchSpread Period over which open watches are ended.
     */
    public record ShutdownProperties(
            @DefaultValue("0s") @DurationUnit(ChronoUnit.SECONDS) Duration delay,
            @DefaultValue("2s") @DurationUnit(ChronoUnit.SECONDS) Duration watchSpread) {

        /** Refuses negative times. */
        public ShutdownProperties {
            Assert.isTrue(
                    !delay.isNegative() && !watchSpread.isNegative(),
                    "kubemirror.shutdown.delay or watch-spread is negative");
        }
    }

    /**
     * Creates the shutdown of an API that serves.
     *
     * @param nanos a monotonic clock in nanoseconds
     */
    public GracefulShutdown(
            ShutdownProperties plan,
            WatchRegistry watches,
            RequestTracker requests,
            Sleeper sleeper,
            LongSupplier nanos) {
        this.plan = plan;
        this.watches = watches;
        this.requests = requests;
        this.sleeper = sleeper;
        this.nanos = nanos;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        long began = nanos.getAsLong();
        long open = watches.size();
        logBeginning(requests.inProgress(), open);
        try {
            sleeper.sleep(plan.delay());
            requests.close();
            watches.end(plan.watchSpread(), sleeper);
            requests.awaitLast(LAST_ANSWERS);
        } catch (InterruptedException hurried) {
            log.debug("Shutting down without delay: {}", hurried.toString());
        } finally {
            requests.close();
            watches.end();
            logEnd(Duration.ofNanos(nanos.getAsLong() - began), open, requests.inProgress());
            running = false;
        }
    }

    private void logBeginning(int inProgress, long open) {
        log.atInfo()
                .addKeyValue("event.action", "shutdown-begun")
                .addKeyValue("kubemirror.requests", inProgress)
                .addKeyValue("kubemirror.watches", open)
                .log(
                        "shutting down: {} open watches and {} other requests; they end after {}"
                                + " ms, within {} ms",
                        open,
                        Math.max(0, inProgress - open),
                        plan.delay().toMillis(),
                        plan.watchSpread().plus(LAST_ANSWERS).toMillis());
    }

    /**
     * Logs the end.
     *
     * @param cut the number of requests whose responses are incomplete
     */
    private static void logEnd(Duration took, long ended, int cut) {
        log.atInfo()
                .addKeyValue("event.action", "shutdown-ended")
                .addKeyValue("event.duration", took.toNanos())
                .addKeyValue("kubemirror.watches", ended)
                .addKeyValue("kubemirror.cut", cut)
                .log(
                        "shut down in {} ms: {} watches ended, {} responses were cut",
                        took.toMillis(),
                        ended,
                        cut);
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
