package io.kubemirror.api.server;

import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.model.Sleeper;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

import java.time.Duration;

/**
 * The end of the process as its clients see it (list-watch.md#in-6, #in-7): a delay in which only
 * {@code /readyz} knows, then no new requests, the watches' clean ends spread over some time, so
 * that their clients do not all connect to somebody else at once, and the last answers.
 *
 * <p>Boot reports that the process is not ready before anything else happens. This stops first of
 * all, which the default phase of a lifecycle means, and on the thread that closes the application;
 * so the web server and the reflectors go on meanwhile. An interrupt of that thread ends all
 * waiting.
 */
public final class GracefulShutdown implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(GracefulShutdown.class);

    /** How long answers that are under way may take; slower clients lose the rest. */
    private static final Duration LAST_ANSWERS = Duration.ofSeconds(5);

    private final ShutdownPlan plan;
    private final WatchRegistry watches;
    private final RequestTracker requests;
    private final Sleeper sleeper;
    private volatile boolean running;

    public GracefulShutdown(
            ShutdownPlan plan, WatchRegistry watches, RequestTracker requests, Sleeper sleeper) {
        this.plan = plan;
        this.watches = watches;
        this.requests = requests;
        this.sleeper = sleeper;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        try {
            sleeper.sleep(plan.delay());
            requests.close();
            watches.end(plan.watchSpread(), sleeper);
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
