package io.kubemirror.history;

import module java.base;

/**
 * The ranges of revisions in which a replica listed in place of watching, so that its clients were
 * not told of each change (list-watch.md#resync). They are at least as wide as they were.
 */
final class Bridges {

    /**
     * A range of revisions.
     *
     * @param after the revision before it
     * @param last its last revision
     */
    private record Bridge(long after, long last) {}

    /** How long after a fault a collection may be listed, because the attempts before failed. */
    private static final long RECOVERY = Duration.ofSeconds(30).toNanos();

    /** The longest time between two samples of a process that answers. */
    private static final long PERIOD = Duration.ofSeconds(5).toNanos();

    /** The partition in which a watch can fail five times, in nanoseconds. */
    private static final long SUSPECT = Duration.ofSeconds(5).toNanos();

    private final History history;
    private final Floors floors;
    private final Map<String, List<Bridge>> bridges = new HashMap<>();
    private final List<Violation> unexplained = new ArrayList<>();

    /** The oldest revision of a process whose file was torn, until the collection is listed. */
    private final Map<String, Long> torn = new HashMap<>();

    private int counted;

    Bridges(History history, Floors floors) {
        this.history = history;
        this.floors = floors;
        Map<String, List<Sample>> samples = new HashMap<>();
        for (Sample sample : history.samples()) {
            String of = sample.replica() + "/" + sample.resource();
            List<Sample> before = samples.computeIfAbsent(of, _ -> new ArrayList<>());
            boolean first = before.isEmpty() || before.getLast().life() != sample.life();
            if (first) {
                end(of, before, sample.from());
                noteTorn(of, before, sample);
            }
            long known = first ? 0 : before.getLast().resyncs();
            if (sample.resyncs() > known) {
                Long oldest = torn.remove(of);
                add(of, oldest == null ? seen(of, before) : oldest, sample.until());
                counted++;
                if (!first) {
                    explain(of, before.getLast(), sample);
                }
            }
            before.add(sample);
        }
        samples.forEach((of, all) -> end(of, all, Long.MAX_VALUE));
    }

    /** A process may end after a list is visible and before it is counted. */
    private void end(String of, List<Sample> samples, long next) {
        if (!samples.isEmpty()) {
            add(of, seen(of, samples), Math.min(samples.getLast().until() + PERIOD, next));
        }
    }

    /**
     * A file may be torn before what several processes have added to it. The next process may
     * answer before its first sample, as a process that is not known.
     */
    private void noteTorn(String of, List<Sample> before, Sample sample) {
        torn.remove(of);
        boolean tears =
                !before.isEmpty()
                        && history.faults().stream()
                                .filter(fault -> fault.kind() == Fault.Kind.TEAR)
                                .filter(fault -> fault.concerns(sample.replica()))
                                .anyMatch(
                                        fault ->
                                                before.getLast().from() < fault.until()
                                                        && fault.from() < sample.until());
        if (tears) {
            torn.put(
                    of,
                    history.operations().stream()
                            .filter(one -> of.equals(one.replica() + "/" + one.resource()))
                            .filter(one -> one.life() == sample.life() || one.life() < 0)
                            .filter(one -> one.called() > before.getLast().until())
                            .mapToLong(one -> one.answer().told())
                            .filter(told -> told > 0)
                            .min()
                            .orElse(0));
        }
    }

    /** Nothing but a fault makes a replica list again, except of what it mirrors on demand. */
    private void explain(String of, Sample before, Sample sample) {
        boolean explained =
                sample.resource().equals(StoredType.DEMANDED.plural())
                        || history.faults().stream()
                                .filter(fault -> fault.concerns(sample.replica()))
                                .filter(Bridges::isReason)
                                .anyMatch(
                                        fault ->
                                                fault.from() < sample.until()
                                                        && fault.until() + RECOVERY
                                                                > before.from());
        if (!explained) {
            String text = "%s was listed again, and nothing was wrong".formatted(of);
            Operation last = floors.before(of, sample.from()).by();
            unexplained.add(new Violation(last, "bridges", text, sample.until()));
        }
    }

    /** Five failures in a row make the revision suspect (list-watch.md#bo-5). */
    private static boolean isReason(Fault fault) {
        return Fault.OF_HISTORY.contains(fault.kind())
                || (fault.kind() == Fault.Kind.PARTITION && fault.until() - fault.from() > SUSPECT);
    }

    /** The lists that no fault explains. */
    List<Violation> unexplained() {
        return List.copyOf(unexplained);
    }

    /** A list is counted after it is visible, so the range begins one sample earlier. */
    private long seen(String of, List<Sample> before) {
        return floors.before(of, before.size() < 2 ? 0 : before.get(before.size() - 2).from())
                .revision();
    }

    private void add(String of, long from, long until) {
        String resource = of.substring(of.indexOf('/') + 1);
        long to = history.truth(resource).revisionAt(until);
        bridges.computeIfAbsent(of, _ -> new ArrayList<>()).add(new Bridge(from, to));
    }

    /** Whether one of the replicas of an operation may not have told its clients of a revision. */
    boolean cover(Operation operation, long revision) {
        for (String replica : operation.replica().split(",", -1)) {
            String of = replica + "/" + operation.resource();
            for (Bridge bridge : bridges.getOrDefault(of, List.of())) {
                if (revision > bridge.after() && revision <= bridge.last()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether one of the replicas of an operation may have forgotten a revision. */
    boolean touch(Operation operation, long revision) {
        for (String replica : operation.replica().split(",", -1)) {
            String of = replica + "/" + operation.resource();
            for (Bridge bridge : bridges.getOrDefault(of, List.of())) {
                if (bridge.last() >= revision) {
                    return true;
                }
            }
        }
        return false;
    }

    int size() {
        return counted;
    }
}
