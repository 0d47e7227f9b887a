package io.kubemirror.api.watch;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.WatcherDirectory;
import io.kubemirror.mirror.WatcherInfo;
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

/** The watches that are being served, as operators see them. May be used from any thread. */
public final class ActiveWatchers implements WatcherDirectory {

    /** Enough to tell clients apart; they may call themselves anything. */
    private static final int LONGEST = 120;

    /** The sets are never removed, so a seat is in the one that is looked at. */
    private final Map<Mirror, Set<ActiveWatch>> watches = new ConcurrentHashMap<>();

    private final InstantSource clock;
    private final LongSupplier nanos;

    /**
     * Nobody watches.
     *
     * @param clock tells when a watch begins
     * @param nanos the clock of the mirrors' writers
     */
    public ActiveWatchers(InstantSource clock, LongSupplier nanos) {
        this.clock = clock;
        this.nanos = nanos;
    }

    /**
     * A watch in the audience.
     *
     * @param description who asked for what
     * @param tally counts what it is sent
     * @param machine knows how far it has come
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
     * Who asked for a watch.
     *
     * @param mirror what is watched
     * @param client the address and port of the client
     * @param agent what it calls itself
     * @param selection the part that it asked for
     * @param since when
     */
    record WatchDescription(
            Mirror mirror, String client, String agent, String selection, Instant since) {}

    /** Whoever sends a request. */
    WatchDescription describe(CollectionRequest wanted, HttpServletRequest request) {
        String agent = request.getHeader("User-Agent");
        return new WatchDescription(
                wanted.mirror(),
                request.getRemoteAddr() + ":" + request.getRemotePort(),
                agent == null ? "" : agent.substring(0, Math.min(agent.length(), LONGEST)),
                text(wanted.selection()),
                clock.instant());
    }

    /** A watch begins; whoever serves it has to make it {@link #remove}. */
    ActiveWatch add(WatchDescription description, CountingSink tally, WatchStateMachine machine) {
        ActiveWatch watch = new ActiveWatch(description, tally, machine);
        watches.computeIfAbsent(description.mirror(), _ -> ConcurrentHashMap.newKeySet())
                .add(watch);
        return watch;
    }

    /** A watch has ended. */
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
