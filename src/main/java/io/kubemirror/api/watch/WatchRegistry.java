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
 * The watches that are being served, and what they were admitted with, so that they can be ended
 * cleanly (list-watch.md#in-6).
 */
public final class WatchRegistry {

    private final Map<StopSignal, Optional<RequestCredentials>> open = new ConcurrentHashMap<>();

    /** A watch is added before this is read, and this is set before watches are looked at. */
    private volatile boolean ended;

    /**
     * Registers a watch; whoever does must {@link #remove} it.
     *
     * @param credentials what it was admitted with, empty where nobody is asked for credentials
     * @return tells the watch when to end
     * @throws Rejection if the process is about to end (list-watch.md#errors)
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

    /** A watch has ended. */
    void remove(StopSignal stopSignal) {
        open.remove(stopSignal);
    }

    /** Those for which credentials were asked, by what they were admitted with. */
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
     * Ends all watches, evenly spread and in no order.
     *
     * @param spread the time from the first to the last
     * @throws InterruptedException if the thread is interrupted; watches may be left then
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

    /** Ends all watches at once. */
    public void end() {
        ended = true;
        open.keySet().forEach(StopSignal::request);
    }
}
