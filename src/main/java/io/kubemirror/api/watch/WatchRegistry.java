package io.kubemirror.api.watch;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestCredentials;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.model.Sleeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The watches that are being served and the credentials they were admitted with, so that they can
 * be ended cleanly (list-watch.md#in-6).
 */
public final class WatchRegistry {

    private final Map<StopSignal, Optional<RequestCredentials>> open = new ConcurrentHashMap<>();

    /** Set before the watches are read. A watch is added before this is read, so none is missed. */
    private volatile boolean ended;

    /**
     * Registers a watch. The caller must {@link #remove} it.
     *
     * @param credentials the credentials that the watch was admitted with, empty if none are
     *     required
     * @return the signal that ends the watch
     * @throws Rejection if the process is shutting down (list-watch.md#errors)
     */
    public StopSignal add(Optional<RequestCredentials> credentials) throws Rejection {
        StopSignal stopSignal = new StopSignal();
        open.put(stopSignal, credentials);
        if (ended) {
            open.remove(stopSignal);
            throw new Rejection(RequestTracker.SHUTTING_DOWN);
        }
        return stopSignal;
    }

    /** Removes a watch when it ends. */
    void remove(StopSignal stopSignal) {
        open.remove(stopSignal);
    }

    /** Returns the watches that require credentials, grouped by these credentials. */
    public Map<RequestCredentials, List<StopSignal>> admitted() {
        Map<RequestCredentials, List<StopSignal>> admitted = new HashMap<>();
        open.forEach(
                (stopSignal, credentials) ->
                        credentials.ifPresent(
                                shown ->
                                        admitted.computeIfAbsent(shown, _ -> new ArrayList<>())
                                                .add(stopSignal)));
        return admitted;
    }

    /**
     * Ends all watches in no particular order, spread evenly over time.
     *
     * @param spread the time from the first to the last
     * @throws InterruptedException if the thread is interrupted; some watches may still be open
     *     then
     */
    public void end(Duration spread, Sleeper sleeper) throws InterruptedException {
        ended = true;
        List<StopSignal> all = new ArrayList<>(open.keySet());
        Collections.shuffle(all);
        Iterator<StopSignal> watches = all.iterator();
        while (watches.hasNext()) {
            watches.next().request();
            if (watches.hasNext()) {
                sleeper.sleep(spread.dividedBy(all.size() - 1));
            }
        }
    }

    /** Ends all watches immediately. */
    public void end() {
        ended = true;
        open.keySet().forEach(StopSignal::request);
    }
}
