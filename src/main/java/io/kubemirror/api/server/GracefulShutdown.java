package io.kubemirror.api.server;

import module java.base;

import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.model.PeriodicThread.Sleeper;

import org.hibernate.validator.constraints.time.DurationMin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.context.SmartLifecycle;

/**
 * Shuts the API down gracefully (list-watch.md#in-6, #in-7), in this order: a delay in which only
 * {@code /readyz} fails; a refusal of new requests; the end of all watches, spread over time so
 * that their clients do not all reconnect elsewhere at once; the last responses.
 *
 * <p>Boot reports the process as not ready before this begins. This bean has the default lifecycle
 * phase, so it stops before the others, on the thread that closes the application. The web server
 * and the reflectors keep running meanwhile. An interrupt of that thread ends all waiting.
 *
 * <p>One line of the log says when it begins, and one, by {@link ShutdownReport}, when everything
 * has ended.
 */
public final class GracefulShutdown implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(GracefulShutdown.class);

    /** The maximum time for responses in progress. Slower clients get incomplete responses. */
    private static final Duration LAST_ANSWERS = Duration.ofSeconds(5);

    private final ShutdownProperties plan;
    private final WatchRegistry watches;
    private final RequestTracker requests;
    private final Sleeper sleeper;
    private final ShutdownReport report;
    private volatile boolean running;

    /**
     * Graceful shutdown (list-watch.md#in-6, #in-7).
     *
     * @param delay Time during which requests are still served while readiness already reports the
     *     shutdown.
     * @param watchSpread Period over which open watches are ended.
     */
    public record ShutdownProperties(
            @DefaultValue("0s")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(message = "is negative; use a duration such as 5s")
                    Duration delay,
            @DefaultValue("2s")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(message = "is negative; use a duration such as 5s")
                    Duration watchSpread) {}

    /**
     * Creates the shutdown of an API that serves.
     *
     * @param report logs the beginning and the end
     */
    public GracefulShutdown(
            ShutdownProperties plan,
            WatchRegistry watches,
            RequestTracker requests,
            Sleeper sleeper,
            ShutdownReport report) {
        this.plan = plan;
        this.watches = watches;
        this.requests = requests;
        this.sleeper = sleeper;
        this.report = report;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        report.begin(
                requests.inProgress(),
                watches.size(),
                plan.delay(),
                plan.watchSpread().plus(LAST_ANSWERS));
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
            report.served(requests.inProgress());
            running = false;
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /**
     * Logs one line when a shutdown begins, and one when it is over: after the web servers and the
     * mirrors have stopped. Used by the thread that closes the application.
     *
     * <p>It must not depend on beans that stop earlier, because Spring stops it before what it
     * depends on.
     */
    public static final class ShutdownReport implements SmartLifecycle {

        private static final Logger log = LoggerFactory.getLogger(GracefulShutdown.class);

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
                            "shutting down ({}): {} open watches and {} other requests; they end"
                                    + " after {} ms, within {} ms",
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
}
