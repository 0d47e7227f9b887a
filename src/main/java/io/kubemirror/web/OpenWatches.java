package io.kubemirror.web;

import org.springframework.context.SmartLifecycle;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The watches that are being served, so that they end cleanly before the web server stops (IN-6).
 *
 * <p>Stops first of all, which the default phase of a lifecycle means; the web server then waits
 * for requests whose end has come already.
 */
final class OpenWatches implements SmartLifecycle {

    private final Set<Ending> open = ConcurrentHashMap.newKeySet();
    private volatile boolean running;

    /**
     * Registers a watch; whoever does must {@link #remove} it.
     *
     * @return tells the watch when to end
     * @throws Rejection if the process is about to end (E-429S)
     */
    Ending add() throws Rejection {
        Ending ending = new Ending();
        open.add(ending);
        if (!running) {
            open.remove(ending);
            throw new Rejection(Reply.of(StatusErrors.shuttingDown()).with("Connection", "close"));
        }
        return ending;
    }

    /** A watch has ended. */
    void remove(Ending ending) {
        open.remove(ending);
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        open.forEach(Ending::request);
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
