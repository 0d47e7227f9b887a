package io.kubemirror.api.server;

import io.kubemirror.access.AccessControl;
import io.kubemirror.access.AccessDecision;
import io.kubemirror.api.http.RequestCredentials;
import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.api.watch.WatchSession;
import io.kubemirror.model.Sleeper;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Periodically rechecks the permissions of open watches, and ends the watches that are no longer
 * authorized. The end is clean, as for any watch, so the client sends a new request and gets the
 * reason in its response.
 *
 * <p>Watches of the same client for the same resource are checked together. Watches without
 * required credentials are not checked. Rejected: an error within the stream, because clients of
 * all kinds treat it as a reason to list again, whatever it says.
 */
public final class PermissionRechecker implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(PermissionRechecker.class);

    /** Fewer than the concurrent access reviews, so that new requests do not wait for rechecks. */
    private static final int AT_A_TIME = 8;

    private final AccessControl access;
    private final Sleeper sleeper;
    private final WatchRegistry watches;

    /** Written when the application starts and stops, one after the other; read by any thread. */
    private volatile @Nullable Thread thread;

    public PermissionRechecker(AccessControl access, WatchRegistry watches, Sleeper sleeper) {
        this.access = access;
        this.watches = watches;
        this.sleeper = sleeper;
    }

    @Override
    public void start() {
        if (access instanceof AccessControl.Guarded guarded) {
            thread = Thread.ofVirtual().name("permission-rechecker").start(() -> run(guarded));
        }
    }

    private void run(AccessControl.Guarded guarded) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                sleeper.sleep(guarded.recheck());
                recheck(guarded);
            }
        } catch (InterruptedException stopped) {
            log.debug("Stopped to recheck the permissions of watches");
        }
    }

    /** Rechecks all watches once. */
    void recheck(AccessControl.Guarded guarded) {
        try (ExecutorService threads =
                Executors.newFixedThreadPool(AT_A_TIME, Thread.ofVirtual().factory())) {
            watches.admitted()
                    .forEach(
                            (credentials, ends) ->
                                    threads.execute(() -> check(guarded, credentials, ends)));
        }
    }

    private static void check(
            AccessControl.Guarded guarded,
            RequestCredentials credentials,
            List<WatchSession> watches) {
        try {
            switch (guarded.check(credentials.credentials(), credentials.permission())) {
                case AccessDecision.Admitted _ -> {}
                case AccessDecision.Unauthenticated _ ->
                        end(watches, "the credentials are no longer valid");
                case AccessDecision.Forbidden _ ->
                        end(watches, "the client is no longer authorized");
                case AccessDecision.Unavailable(var why) ->
                        end(watches, "cannot review access: " + why);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static void end(List<WatchSession> watches, String why) {
        watches.forEach(WatchSession::requestEnd);
        log.info("Ending {} watches: {}", watches.size(), why);
    }

    @Override
    public void stop() {
        Thread walker = thread;
        if (walker != null) {
            walker.interrupt();
        }
        thread = null;
    }

    @Override
    public boolean isRunning() {
        return thread != null;
    }
}
