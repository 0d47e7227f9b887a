package io.kubemirror.api.watch;

import module java.base;

import com.fasterxml.jackson.annotation.JsonInclude;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestCredentials;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.PeriodicThread.Sleeper;

/**
 * The watches that are being served, so that they can be shown to operators, checked again, and
 * ended cleanly (list-watch.md#in-6). Thread-safe.
 */
public final class WatchRegistry implements MirrorSet.Listener {

    /** Of so many watches, one may be ended in each round. */
    private static final int ROUNDS = 40;

    /** Sets are changed under the lock of their mirror, and removed with their last watch. */
    private final Map<Mirror, Set<Watch>> open = new ConcurrentHashMap<>();

    private final LongSupplier nanos;

    /** Set before the watches are read. A watch is added before this is read, so none is missed. */
    private volatile boolean ended;

    /**
     * Creates a registry without watches.
     *
     * @param nanos the clock of the mirrors' writers
     */
    public WatchRegistry(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /**
     * Adds a watch, which must be ended if it is refused. It ends soon if its mirror has been
     * removed.
     *
     * @throws Rejection if the process is shutting down (list-watch.md#errors)
     */
    void add(Watch watch) throws Rejection {
        Mirror mirror = watch.mirror();
        open.compute(
                mirror,
                (_, present) -> {
                    Set<Watch> watches = present == null ? ConcurrentHashMap.newKeySet() : present;
                    watches.add(watch);
                    return watches;
                });
        if (ended) {
            throw new Rejection(RequestTracker.shuttingDown());
        }
        if (mirror.isRemoved()) {
            watch.requestEnd();
        }
    }

    /** Removes a watch when it ends. */
    void remove(Watch watch) {
        open.computeIfPresent(
                watch.mirror(),
                (_, watches) -> {
                    watches.remove(watch);
                    return watches.isEmpty() ? null : watches;
                });
    }

    /**
     * Ends the connections that watch a mirror that {@linkplain Mirror#isRemoved has been removed}.
     */
    @Override
    public void removed(Mirror mirror) {
        open.getOrDefault(mirror, Set.of()).forEach(watch -> watch.requestEnd());
    }

    /** Returns the current watchers of a mirror, in no particular order. */
    public List<WatcherInfo> of(Mirror mirror) {
        long now = nanos.getAsLong();
        return open.getOrDefault(mirror, Set.of()).stream()
                .flatMap(watch -> watch.info(now).stream())
                .toList();
    }

    /** Returns whether a mirror has watchers. */
    public boolean isWatched(Mirror mirror) {
        return open.containsKey(mirror);
    }

    /** Returns the watches that require credentials, grouped by these credentials. */
    public Map<RequestCredentials, List<Watch>> admitted() {
        return all().filter(watch -> watch.credentials().isPresent())
                .collect(Collectors.groupingBy(watch -> watch.credentials().orElseThrow()));
    }

    /**
     * Ends all connections in no particular order, spread evenly over time.
     *
     * @param spread the time from the first to the last
     * @throws InterruptedException if the thread is interrupted; some watches may still be open
     *     then
     */
    public void end(Duration spread, Sleeper sleeper) throws InterruptedException {
        ended = true;
        List<Watch> shuffled = new ArrayList<>(all().toList());
        Collections.shuffle(shuffled);
        Iterator<Watch> watches = shuffled.iterator();
        while (watches.hasNext()) {
            watches.next().requestEnd();
            if (watches.hasNext()) {
                sleeper.sleep(spread.dividedBy(shuffled.size() - 1));
            }
        }
    }

    /**
     * Ends some of the watches beyond a number, in no particular order, each after a bookmark, so
     * that its client continues at another replica. To be called each second.
     *
     * @param share the number of watches that stay open
     */
    public void rebalance(int share) {
        List<Watch> staying = new ArrayList<>(all().filter(watch -> !watch.isLeaving()).toList());
        long surplus = Math.min(staying.size() - share, Math.ceilDiv(staying.size(), ROUNDS));
        if (surplus > 0) {
            Collections.shuffle(staying);
            staying.stream().filter(Watch::isMovable).limit(surplus).forEach(Watch::leave);
        }
    }

    /** Returns the number of watches. */
    public long size() {
        return all().count();
    }

    /** Ends all watches immediately. */
    public void end() {
        ended = true;
        all().forEach(Watch::requestEnd);
    }

    private Stream<Watch> all() {
        return open.values().stream().flatMap(Set::stream);
    }

    /**
     * A watcher of a mirror, as shown to operators.
     *
     * @param client its address and port
     * @param agent its user agent in short form, empty if it sent none
     * @param user its name, empty if it is not known
     * @param selection what it asked for, empty for everything
     * @param since when it began
     * @param revision the revision that it has reached; later changes that do not match its
     *     selection are not sent
     * @param behind the number of changes that are not sent yet; 0 for a watch that waits and that
     *     none of them concerns
     * @param lateSeconds the age of the oldest of these changes
     * @param events the number of events it was sent, bookmarks included
     * @param bytes the number of bytes it was sent
     */
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    public record WatcherInfo(
            String client,
            String agent,
            String user,
            String selection,
            Instant since,
            String revision,
            long behind,
            double lateSeconds,
            long events,
            long bytes) {}
}
