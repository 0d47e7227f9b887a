package io.kubemirror.web;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

import java.time.Duration;

/**
 * The end of the process as its clients see it (IN-6, IN-7): a delay in which only {@code /readyz}
 * knows, then no new requests, the watches' clean ends spread over some time, so that their clients
 * do not all connect to somebody else at once, and the last answers.
 *
 * <p>Boot reports that the process is not ready before anything else happens. This stops first of
 * all, which the default phase of a lifecycle means, and on the thread that closes the application;
 * so the web server and the reflectors go on meanwhile. An interrupt of that thread ends all
 * waiting.
 */
final class Shutdown implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(Shutdown.class);

    /** How long answers that are under way may take; slower clients lose the rest. */
    private static final Duration LAST_ANSWERS = Duration.ofSeconds(5);

    private final ShutdownPlan plan;
    private final OpenWatches watches;
    private final OpenRequests requests;
    private final Pause pause;
    private volatile boolean running;

    /** Lets time pass. */
    @FunctionalInterface
    interface Pause {

        /**
         * Waits.
         *
         * @throws InterruptedException if the thread is interrupted
         */
        void take(Duration duration) throws InterruptedException;
    }

    Shutdown(ShutdownPlan plan, OpenWatches watches, OpenRequests requests, Pause pause) {
        this.plan = plan;
        this.watches = watches;
        this.requests = requests;
        this.pause = pause;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        try {
            pause.take(plan.delay());
            requests.close();
            watches.end(plan.watchSpread(), pause);
            requests.awaitLast(LAST_ANSWERS);
        } catch (InterruptedException hurried) {
            log.debug("The process ends without delay: {}", hurried.toString());
        } finally {
            requests.close();
            watches.end();
            running = false;
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
