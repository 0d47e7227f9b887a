package io.kubemirror.web;

import io.kubemirror.mirror.Follower;
import io.kubemirror.mirror.Followers;
import io.kubemirror.mirror.Mirror;
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
final class Audience implements Followers {

    /** Enough to tell clients apart; they may call themselves anything. */
    private static final int LONGEST = 120;

    /** The sets are never removed, so a seat is in the one that is looked at. */
    private final Map<Mirror, Set<Seat>> seats = new ConcurrentHashMap<>();

    private final InstantSource clock;
    private final LongSupplier nanos;

    /**
     * Nobody watches.
     *
     * @param clock tells when a watch begins
     * @param nanos the clock of the mirrors' writers
     */
    Audience(InstantSource clock, LongSupplier nanos) {
        this.clock = clock;
        this.nanos = nanos;
    }

    /**
     * A watch in the audience.
     *
     * @param party who asked for what
     * @param tally counts what it is sent
     * @param loop knows how far it has come
     */
    record Seat(Party party, Tally tally, WatchLoop loop) {

        private Stream<Follower> follower(long now) {
            return loop.cursor().stream()
                    .map(
                            cursor ->
                                    new Follower(
                                            party.client(),
                                            party.agent(),
                                            party.selection(),
                                            party.since(),
                                            cursor.revision(),
                                            loop.backlog(now),
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
    record Party(Mirror mirror, String client, String agent, String selection, Instant since) {}

    /** Whoever sends a request. */
    Party party(CollectionRequest wanted, HttpServletRequest request) {
        String agent = request.getHeader("User-Agent");
        return new Party(
                wanted.mirror(),
                request.getRemoteAddr() + ":" + request.getRemotePort(),
                agent == null ? "" : agent.substring(0, Math.min(agent.length(), LONGEST)),
                text(wanted.selection()),
                clock.instant());
    }

    /** A watch begins; whoever serves it has to make it {@link #leave}. */
    Seat enter(Party party, Tally tally, WatchLoop loop) {
        Seat seat = new Seat(party, tally, loop);
        seats.computeIfAbsent(party.mirror(), _ -> ConcurrentHashMap.newKeySet()).add(seat);
        return seat;
    }

    /** A watch has ended. */
    void leave(Seat seat) {
        seats.getOrDefault(seat.party().mirror(), Set.of()).remove(seat);
    }

    @Override
    public List<Follower> of(Mirror mirror) {
        long now = nanos.getAsLong();
        return seats.getOrDefault(mirror, Set.of()).stream()
                .flatMap(seat -> seat.follower(now))
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
