package io.kubemirror.api.watch;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.WatcherDirectory;
import io.kubemirror.mirror.WatcherDirectory.WatcherInfo;
import io.kubemirror.model.Selection;

import jakarta.servlet.http.HttpServletRequest;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Tracks the watches that are being served, for diagnostics. Thread-safe. */
public final class ActiveWatchers implements WatcherDirectory {

    /**
     * The maximum length of a recorded user agent, in characters. Clients can send any text; this
     * is enough to tell them apart.
     */
    private static final int LONGEST = 120;

    /** Sets are never removed, so {@link #remove} always finds the set that {@link #add} used. */
    private final Map<Mirror, Set<ActiveWatch>> watches = new ConcurrentHashMap<>();

    private final InstantSource clock;
    private final LongSupplier nanos;

    /**
     * Creates a tracker without watches.
     *
     * @param clock provides the start times of watches
     * @param nanos the clock of the mirrors' writers
     */
    public ActiveWatchers(InstantSource clock, LongSupplier nanos) {
        this.clock = clock;
        this.nanos = nanos;
    }

    /**
     * A watch that is being served.
     *
     * @param description the client and its request
     * @param tally counts the events and bytes that are sent
     * @param machine provides the current position of the watch
     */
    record ActiveWatch(
            WatchDescription description, CountingSink tally, WatchStateMachine machine) {

        private Stream<WatcherInfo> watcherInfo(long now) {
            return machine.cursor().stream()
                    .map(
                            cursor ->
                                    new WatcherInfo(
                                            description.client(),
                                            description.agent(),
                                            description.selection(),
                                            description.since(),
                                            cursor.revision(),
                                            machine.backlog(now),
                                            tally.events(),
                                            tally.bytes()));
        }
    }

    /**
     * The client of a watch and what it requested.
     *
     * @param mirror the watched mirror
     * @param client the address and port of the client
     * @param agent the {@code User-Agent} of the client, empty if absent
     * @param selection the selected part of the mirror
     * @param since the start time
     */
    record WatchDescription(
            Mirror mirror, String client, String agent, String selection, Instant since) {}

    /** Describes the sender of a watch request. */
    WatchDescription describe(CollectionRequest wanted, HttpServletRequest request) {
        String agent = request.getHeader("User-Agent");
        return new WatchDescription(
                wanted.mirror(),
                request.getRemoteAddr() + ":" + request.getRemotePort(),
                agent == null ? "" : agent.substring(0, Math.min(agent.length(), LONGEST)),
                text(wanted.selection()),
                clock.instant());
    }

    /** Adds a watch when it starts. The caller must {@link #remove} it. */
    ActiveWatch add(WatchDescription description, CountingSink tally, WatchStateMachine machine) {
        ActiveWatch watch = new ActiveWatch(description, tally, machine);
        watches.computeIfAbsent(description.mirror(), _ -> ConcurrentHashMap.newKeySet())
                .add(watch);
        return watch;
    }

    /** Removes a watch when it ends. */
    void remove(ActiveWatch watch) {
        watches.getOrDefault(watch.description().mirror(), Set.of()).remove(watch);
    }

    @Override
    public List<WatcherInfo> of(Mirror mirror) {
        long now = nanos.getAsLong();
        return watches.getOrDefault(mirror, Set.of()).stream()
                .flatMap(watch -> watch.watcherInfo(now))
                .toList();
    }

    private static String text(Selection selection) {
        return Stream.of(
                        prefixed("namespace ", selection.namespace()),
                        prefixed("labels ", selection.labels().text()),
                        prefixed("fields ", selection.fields().text()))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(", "));
    }

    private static String prefixed(String what, String value) {
        return value.isEmpty() ? "" : what + value;
    }
}
