package io.kubemirror.api.server;

import module java.base;

import io.kubemirror.api.http.AccessControl;
import io.kubemirror.api.http.AccessControl.AccessDecision;
import io.kubemirror.api.http.RequestCredentials;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.watch.Watch;
import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.model.PeriodicThread;
import io.kubemirror.model.PeriodicThread.Sleeper;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Periodically rechecks the permissions of open watches, and ends the watches that are no longer
 * authorized. The end is clean, as for any watch, so the client sends a new request and gets the
 * reason in its response. A stream of several resources continues with those that are still
 * authorized. Requests of any duration that the API server answers to kubemirror end, too.
 *
 * <p>Watches of the same client for the same resource are checked together. Rejected: an error
 * within the stream, because clients of all kinds treat it as a reason to list again, whatever it
 * says.
 */
public final class PermissionRechecker implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(PermissionRechecker.class);

    /** Fewer than the concurrent access reviews, so that new requests do not wait for rechecks. */
    private static final int AT_A_TIME = 8;

    private static final Duration AFTER_DEFECT = Duration.ofMinutes(1);

    private final Supplier<AccessControl> access;
    private final WatchRegistry watches;
    private final RequestTracker requests;
    private final PeriodicThread thread;

    /**
     * Creates a rechecker that has not started.
     *
     * @param access makes the decisions; not read before the start
     * @param sleeper waits between two checks
     */
    public PermissionRechecker(
            Supplier<AccessControl> access,
            WatchRegistry watches,
            RequestTracker requests,
            Sleeper sleeper) {
        this.access = access;
        this.watches = watches;
        this.requests = requests;
        this.thread = new PeriodicThread("permission-rechecker", this::run, AFTER_DEFECT, sleeper);
    }

    private Duration run() {
        recheck();
        return access.get().recheckInterval();
    }

    @Override
    public void start() {
        thread.start();
    }

    /** Rechecks all watches once. Watches of which a check fails with an exception end. */
    public void recheck() {
        if (access.get().isOpen()) {
            return;
        }
        try (ExecutorService threads =
                Executors.newFixedThreadPool(
                        AT_A_TIME, Thread.ofVirtual().name("permission-recheck").factory())) {
            watches.admitted()
                    .forEach(
                            (client, open) ->
                                    threads.execute(() -> check(client, () -> end(open))));
            requests.endings()
                    .forEach(
                            (ending, client) ->
                                    client.ifPresent(
                                            one -> threads.execute(() -> check(one, ending))));
        }
    }

    /** Ends what a client may not send any more, and what cannot be checked. */
    private void check(RequestCredentials client, Runnable ending) {
        String why;
        try {
            why = refusal(client);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return;
        } catch (RuntimeException | Error defect) {
            log.error("Cannot recheck the permission of requests", defect);
            why = "their permission cannot be rechecked";
        }
        if (why != null) {
            log.info("Ending watches or requests of a client: {}", why);
            ending.run();
        }
    }

    /** Returns why a client may not send a request any more, null if it may. */
    private @Nullable String refusal(RequestCredentials client) throws InterruptedException {
        return switch (access.get().check(client.credentials(), client.permission())) {
            case AccessDecision.Admitted _ -> null;
            case AccessDecision.Unauthenticated _ -> "the credentials are no longer valid";
            case AccessDecision.Forbidden _ -> "no longer authorized";
            case AccessDecision.Unavailable(var why) -> "cannot review access: " + why;
        };
    }

    /** A watch that cannot be ended does not keep the others open. */
    private static void end(List<Watch> watches) {
        for (Watch watch : watches) {
            try {
                watch.requestEnd();
            } catch (RuntimeException | Error defect) {
                log.error("Cannot end a watch", defect);
            }
        }
    }

    @Override
    public void stop() {
        thread.stop(Duration.ZERO);
    }

    @Override
    public boolean isRunning() {
        return thread.isRunning();
    }
}
