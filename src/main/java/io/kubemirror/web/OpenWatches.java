package io.kubemirror.web;

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
 * cleanly (IN-6).
 */
final class OpenWatches {

    private final Map<Ending, Optional<Pass>> open = new ConcurrentHashMap<>();

    /** A watch is added before this is read, and this is set before watches are looked at. */
    private volatile boolean ended;

    /**
     * Registers a watch; whoever does must {@link #remove} it.
     *
     * @param pass what it was admitted with, empty where nobody is asked for credentials
     * @return tells the watch when to end
     * @throws Rejection if the process is about to end (E-429S)
     */
    Ending add(Optional<Pass> pass) throws Rejection {
        Ending ending = new Ending();
        open.put(ending, pass);
        if (ended) {
            open.remove(ending);
            throw new Rejection(OpenRequests.SHUTTING_DOWN);
        }
        return ending;
    }

    /** A watch has ended. */
    void remove(Ending ending) {
        open.remove(ending);
    }

    /** Those for which credentials were asked, by what they were admitted with. */
    Map<Pass, List<Ending>> admitted() {
        Map<Pass, List<Ending>> admitted = new HashMap<>();
        open.forEach(
                (ending, pass) ->
                        pass.ifPresent(
                                shown ->
                                        admitted.computeIfAbsent(shown, _ -> new ArrayList<>())
                                                .add(ending)));
        return admitted;
    }

    /**
     * Ends all watches, evenly spread and in no order.
     *
     * @param spread the time from the first to the last
     * @throws InterruptedException if the thread is interrupted; watches may be left then
     */
    void end(Duration spread, Shutdown.Pause pause) throws InterruptedException {
        ended = true;
        List<Ending> all = new ArrayList<>(open.keySet());
        Collections.shuffle(all);
        Iterator<Ending> watches = all.iterator();
        while (watches.hasNext()) {
            watches.next().request();
            if (watches.hasNext()) {
                pause.take(spread.dividedBy(all.size() - 1));
            }
        }
    }

    /** Ends all watches at once. */
    void end() {
        ended = true;
        open.keySet().forEach(Ending::request);
    }
}
