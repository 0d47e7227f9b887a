package io.kubemirror.history;

import module java.base;

import io.kubemirror.history.Operation.Act;
import io.kubemirror.history.Operation.Mode;

/** Counts which states of the API a history has reached. */
final class Scorecard {

    private final Map<Reached, Integer> counts = new EnumMap<>(Reached.class);

    private Scorecard() {}

    static Scorecard of(List<Operation> operations) {
        Scorecard card = new Scorecard();
        for (Reached state : Reached.values()) {
            card.counts.put(state, (int) operations.stream().filter(state.test).count());
        }
        return card;
    }

    /** Adds the counts of another run. */
    void add(Scorecard other) {
        other.counts.forEach((state, count) -> counts.merge(state, count, Integer::sum));
    }

    /** The share of the states that were reached, in percent. */
    int percent() {
        long reached = counts.values().stream().filter(count -> count > 0).count();
        return (int) (100 * reached / Reached.values().length);
    }

    /** The states that were not reached. */
    List<String> missing() {
        return counts.entrySet().stream()
                .filter(entry -> entry.getValue() == 0)
                .map(entry -> name(entry.getKey()))
                .toList();
    }

    private static String name(Reached state) {
        return state.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        counts.forEach((state, count) -> text.append("%8d  %s%n".formatted(count, name(state))));
        return text + "%d %% of %d states".formatted(percent(), counts.size());
    }

    private enum Reached {
        WRITE_ANSWERED(o -> o.act() == Act.WRITE && o.answer().isSuccess()),
        WRITE_WITH_TOKEN(o -> o.act() == Act.WRITE && o.answer().told() > 0),
        WRITE_UNKNOWN(o -> o.isWrite() && o.answer().code() < 0),
        DELETE_ANSWERED(o -> o.act() == Act.DELETE && o.answer().isSuccess()),
        GET_UNSET(of(Act.GET, Mode.RECENT, 200)),
        GET_ZERO(of(Act.GET, Mode.ANY, 200)),
        GET_NOT_OLDER(of(Act.GET, Mode.NOT_OLDER, 200)),
        GET_MISSING(Operation::isMissing),
        GET_UNCHANGED(o -> o.act() == Act.GET && o.request().contains("If-None-Match")),
        LIST_UNSET(of(Act.LIST, Mode.RECENT, 200)),
        LIST_ZERO(of(Act.LIST, Mode.ANY, 200)),
        LIST_NOT_OLDER(of(Act.LIST, Mode.NOT_OLDER, 200)),
        LIST_EXACT(of(Act.LIST, Mode.EXACT, 200)),
        LIST_EXPIRED(of(Act.LIST, Mode.EXACT, 410)),
        LIST_FUTURE(of(Act.LIST, Mode.NOT_OLDER, 504)),
        LIST_UNCHANGED(o -> o.act() == Act.LIST && o.request().contains("If-None-Match")),
        LIST_LIMIT(o -> listed(o, "limit=") && !o.request().contains("&continue")),
        LIST_CONTINUED(o -> listed(o, "&continue")),
        LIST_CONTINUED_EXPIRED(o -> o.request().contains("&continue") && o.answer().code() == 410),
        LIST_LIMIT_EXACT(o -> listed(o, "limit=") && o.mode() == Mode.EXACT),
        LIST_LABELS(o -> listed(o, "labelSelector")),
        LIST_FIELDS(o -> listed(o, "fieldSelector")),
        LIST_SHARD(o -> listed(o, "shardSelector")),
        LIST_SORTED(o -> listed(o, "sortBy")),
        LIST_SORTED_EXACT(o -> listed(o, "sortBy") && o.mode() == Mode.EXACT),
        COUNTED(o -> o.answer().count() >= 0 && o.request().contains("count=only")),
        GROUPED(o -> o.answer().count() >= 0 && o.request().contains("groupBy")),
        ALL_NAMESPACES(o -> listed(o, "") && o.selected().namespace().isEmpty()),
        MINIMUM_REACHED(o -> o.minimum() > 0 && o.answer().code() == 200 && !o.isWatch()),
        MINIMUM_OF_A_WATCH(o -> o.minimum() > 0 && watched(o, "")),
        REFUSED_TO_READ(o -> !o.isWrite() && o.answer().code() == 429),
        FORBIDDEN(o -> o.answer().code() == 403),
        CONNECTION_LOST(o -> !o.isWrite() && o.answer().code() < 0),
        WATCH_UNSET(o -> watched(o, "") && o.mode() == Mode.RECENT),
        WATCH_ZERO(o -> watched(o, "") && o.mode() == Mode.ANY),
        WATCH_LIST(o -> watched(o, "sendInitialEvents=true")),
        WATCH_LIST_NOT_OLDER(
                o -> watched(o, "sendInitialEvents=true") && o.mode() == Mode.NOT_OLDER),
        WATCH_RESUMED(o -> watched(o, "") && o.mode() == Mode.RESUME && !error(o, 410)),
        WATCH_EXPIRED(o -> watched(o, "") && error(o, 410)),
        WATCH_TOO_EARLY(o -> watched(o, "") && error(o, 504)),
        WATCH_BOOKMARK(
                o ->
                        watched(o, "")
                                && o.answer().frames().stream()
                                        .anyMatch(frame -> frame.isBookmark() && !frame.end())),
        WATCH_LABELS(o -> watched(o, "labelSelector")),
        WATCH_FIELDS(o -> watched(o, "fieldSelector")),
        WATCH_SHARD(o -> watched(o, "shardSelector")),
        STREAM(o -> watched(o, "kubemirror/v1/watch")),
        STREAM_RESUMED(o -> watched(o, "kubemirror/v1/watch?cursor")),
        STREAM_RESET(o -> watched(o, "kubemirror/v1/watch") && error(o, 410)),
        SYNCED(o -> o.answer().state().equals("synced")),
        RESYNCING(o -> o.answer().state().equals("resyncing")),
        STALE(o -> o.answer().state().equals("stale")),
        PROXIED(o -> o.answer().state().equals("proxied")),
        PASSED(o -> o.answer().state().equals("passed")),
        VERIFIED(
                o ->
                        o.resource().equals(StoredType.VERIFIED.plural())
                                && o.mode() == Mode.RECENT
                                && o.answer().state().equals("synced")),
        DEMANDED(
                o ->
                        o.resource().equals(StoredType.DEMANDED.plural())
                                && o.answer().state().equals("synced")),
        FROM_DISK(o -> o.life() > 1 && o.answer().state().equals("stale"));

        @SuppressWarnings("ImmutableEnumChecker") // None has a state.
        private final Predicate<Operation> test;

        Reached(Predicate<Operation> test) {
            this.test = test;
        }

        private static Predicate<Operation> of(Act act, Mode mode, int code) {
            return o -> o.act() == act && o.mode() == mode && o.answer().code() == code;
        }

        private static boolean listed(Operation o, String part) {
            return o.act() == Act.LIST && o.answer().code() == 200 && o.request().contains(part);
        }

        private static boolean watched(Operation o, String part) {
            return o.isWatch() && o.answer().code() == 200 && o.request().contains(part);
        }

        private static boolean error(Operation o, int code) {
            return o.answer().frames().stream()
                    .anyMatch(frame -> frame.isError() && frame.revision() == code);
        }
    }
}
