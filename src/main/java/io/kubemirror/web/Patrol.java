package io.kubemirror.web;

import io.kubemirror.access.Access;
import io.kubemirror.access.Verdict;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Looks from time to time whether those who watch may still do so, and ends the watches of those
 * who may not: cleanly, as every watch ends now and then, so that a client asks again and is told
 * in the answer what has become of it.
 *
 * <p>Watches of the same client for the same are looked at together, and those where nobody is
 * asked for credentials not at all. Rejected: an error within the stream, which clients of all
 * sorts take for a reason to list anew, and not for what it says.
 */
final class Patrol implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(Patrol.class);

    /** Fewer than reviews at a time, so that new requests need not wait for those of watches. */
    private static final int AT_A_TIME = 8;

    private final Access access;
    private final Shutdown.Pause pause;
    private final OpenWatches watches;

    /** Written when the application starts and stops, one after the other; read from anywhere. */
    private volatile @Nullable Thread walking;

    Patrol(Access access, OpenWatches watches, Shutdown.Pause pause) {
        this.access = access;
        this.watches = watches;
        this.pause = pause;
    }

    @Override
    public void start() {
        if (access instanceof Access.Guarded guarded) {
            walking = Thread.ofVirtual().name("patrol").start(() -> walk(guarded));
        }
    }

    private void walk(Access.Guarded guarded) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                pause.take(guarded.recheck());
                round(guarded);
            }
        } catch (InterruptedException stopped) {
            log.debug("No watches are looked at any more");
        }
    }

    /** Looks at all watches once. */
    void round(Access.Guarded guarded) {
        try (ExecutorService threads =
                Executors.newFixedThreadPool(AT_A_TIME, Thread.ofVirtual().factory())) {
            watches.admitted()
                    .forEach((pass, ends) -> threads.execute(() -> look(guarded, pass, ends)));
        }
    }

    private static void look(Access.Guarded guarded, Pass pass, List<Ending> watches) {
        try {
            switch (guarded.check(pass.credentials(), pass.intent())) {
                case Verdict.Admitted _ -> {}
                case Verdict.Unauthenticated _ -> end(watches, "are not known any more");
                case Verdict.Forbidden _ -> end(watches, "may not read any more");
                case Verdict.Unavailable(var why) -> end(watches, "cannot be reviewed: " + why);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static void end(List<Ending> watches, String why) {
        watches.forEach(Ending::request);
        log.info("Watches end, whose clients {}: {}", why, watches.size());
    }

    @Override
    public void stop() {
        Thread walker = walking;
        if (walker != null) {
            walker.interrupt();
        }
        walking = null;
    }

    @Override
    public boolean isRunning() {
        return walking != null;
    }
}
