package io.kubemirror.history;

import module java.base;

import io.kubemirror.history.Operation.Act;
import io.kubemirror.history.Operation.Answer;
import io.kubemirror.history.Operation.Mode;

/**
 * Judges a history. Each answer names its revision, so the order of all answers is known, and an
 * answer is legal if it is the stored state of its revision and this revision is not older than
 * those that had been seen before the request.
 */
final class Checker {

    private static final double SECOND = 1e9;

    /** How long a mirror may take until it says that its connection is broken, in seconds. */
    private static final double NOTICE = 4;

    /** The most that an age is rounded, and stored later than it was, in seconds. */
    private static final double AGE_ERROR = 2.5;

    /** How much later than by clients a change is known, in nanoseconds. */
    private static final long AHEAD = 2_000_000_000L;

    /** How many changes of other types there may be after the last one of those that are known. */
    private static final long OTHERS = 50;

    /** How long a client waits for a change until it has waited in vain, in nanoseconds. */
    private static final long PATIENCE = 5_000_000_000L;

    /** The most between two bookmarks that are asked for once a second, in seconds. */
    private static final double BOOKMARKS = 5;

    private final History history;
    private final Set<String> verified;
    private final List<Violation> violations = new ArrayList<>();

    /** A write that was answered, with its revision. */
    private record OwnWrite(Operation write, long revision) {}

    /** What was seen of a mirror of one process. */
    private final Floors mirrors = new Floors();

    /** What was seen of a mirror of one process, without what the API server answered for it. */
    private final Floors own = new Floors();

    /** What was seen of a mirror at a replica, whatever the process. */
    private final Floors replicas = new Floors();

    /** What was seen and written of a type anywhere. */
    private final Floors types = new Floors();

    /** The times at which writes began, as revisions are in {@link #types}. */
    private final Map<String, NavigableMap<Long, Long>> begun = new HashMap<>();

    private final Map<String, List<OwnWrite>> writes = new HashMap<>();

    /** The least revision that a mirror of one process has shown. */
    private final Map<String, Long> begins = new HashMap<>();

    /** The events that had to come, and those of them that a bridge may have hidden. */
    private int events;

    private int exempted;
    private final Bridges bridges;
    private final Delays delays;
    private final Refusals refusals;

    /**
     * Prepares for a history that is complete.
     *
     * @param verified types whose most recent state is linearizable
     */
    Checker(History history, Set<String> verified) {
        this.history = history;
        this.verified = Set.copyOf(verified);
        history.operations().forEach(this::index);
        history.operations().stream()
                .filter(Operation::isMissing)
                .sorted(Comparator.comparingLong(Operation::called))
                .forEach(this::indexMissing);
        bridges = new Bridges(history, replicas);
        delays = new Delays(history);
        refusals = new Refusals(history, bridges, delays);
    }

    /** Returns what is illegal, in the order of the calls. */
    List<Violation> check() {
        violations.addAll(bridges.unexplained());
        for (Operation operation : history.operations()) {
            checkError(operation);
            checkAccess(operation);
            switch (operation.act()) {
                case WRITE, DELETE -> checkWrite(operation);
                case GET, LIST, COUNT -> checkRead(operation);
                case WATCH -> checkWatch(operation);
            }
        }
        violations.sort((a, b) -> Long.compare(a.at(), b.at()));
        return List.copyOf(violations);
    }

    /** How much of the events could not be judged. */
    Exempt exempt() {
        return new Exempt(bridges.size(), exempted, events);
    }

    /**
     * Events that could not be judged.
     *
     * @param bridges how often a replica listed in place of watching
     * @param exempted the events that a bridge may have hidden
     * @param events all that had to come
     */
    record Exempt(int bridges, int exempted, int events) {

        Exempt plus(Exempt other) {
            return new Exempt(
                    bridges + other.bridges, exempted + other.exempted, events + other.events);
        }

        int percent() {
            return events == 0 ? 0 : 100 * exempted / events;
        }

        @Override
        public String toString() {
            return "%d bridges over %d of %d events".formatted(bridges, exempted, events);
        }
    }

    private void index(Operation operation) {
        Answer answer = operation.answer();
        if (operation.isWrite()) {
            indexWrite(operation);
        } else if (operation.isWatch()) {
            for (Frame frame : answer.frames()) {
                if (!frame.isError()) {
                    seen(operation, frame.at(), frame.revision());
                }
            }
        } else if (answer.isSuccess()) {
            seen(operation, operation.returned(), answer.revision());
        }
    }

    private void indexWrite(Operation write) {
        long revision = written(write);
        if (write.answer().isSuccess() && revision > 0) {
            types.add(write.resource(), write.returned(), revision, write);
            begun.computeIfAbsent(write.resource(), _ -> new TreeMap<>())
                    .put(revision, write.called());
            writes.computeIfAbsent(life(write), _ -> new ArrayList<>())
                    .add(new OwnWrite(write, revision));
        }
    }

    /** An object that is missing shows a state that is not older than all before without it. */
    private void indexMissing(Operation get) {
        String mirror = life(get);
        if (get.isFromUpstream() || get.life() < 0) {
            return;
        }
        String key = get.selected().namespace() + "/" + get.selected().name();
        long before = mirrors.before(mirror, get.called()).revision();
        mirrors.add(mirror, get.returned(), truth(get).firstWithout(key, before), get);
    }

    private void seen(Operation operation, long at, long shown) {
        Answer answer = operation.answer();
        boolean told = operation.act() == Act.GET && answer.told() >= 0;
        long revision = told && !operation.isFromUpstream() ? answer.told() : shown;
        long effective = truth(operation).effective(revision);
        if (operation.isPassed()) {
            if (operation.mode() == Mode.RECENT && !operation.isWatch()) {
                types.add(operation.resource(), at, effective, operation);
            }
            return;
        }
        types.add(operation.resource(), at, effective, operation);
        begins.merge(life(operation), effective, Math::min);
        boolean exact = operation.act() != Act.GET || told;
        mirrors.add(life(operation), at, exact ? revision : effective, operation);
        if (!operation.isFromUpstream()) {
            own.add(life(operation), at, exact ? revision : effective, operation);
        }
        // Which replica of several has shown it is not known.
        if (!operation.isFromUpstream() && !operation.replica().contains(",")) {
            replicas.add(shown(operation), at, revision, operation);
        }
    }

    private long written(Operation write) {
        if (write.act() == Act.WRITE) {
            return write.answer().revision();
        }
        Version object =
                write.answer().objects().isEmpty()
                        ? Version.NONE
                        : write.answer().objects().getFirst();
        return truth(write).deletionOf(object.key(), object.uid());
    }

    private Truth truth(Operation operation) {
        return history.truth(operation.resource());
    }

    private static String life(Operation operation) {
        return operation.replica() + "/" + operation.life() + "/" + operation.resource();
    }

    private static String shown(Operation operation) {
        return operation.replica() + "/" + operation.resource();
    }

    private void report(Operation operation, String promise, String reason, long at) {
        violations.add(new Violation(operation, promise, reason, at));
    }

    private void report(Operation operation, String promise, String reason) {
        report(operation, promise, reason, operation.returned());
    }

    private void checkError(Operation operation) {
        if (operation.answer().isSuccess() || operation.isMissing()) {
            return;
        }
        String mirror = life(operation);
        refusals.illegal(
                        operation,
                        begins.getOrDefault(mirror, 0L),
                        mirrors.before(mirror, operation.called()).revision(),
                        newestWrite(operation))
                .ifPresent(
                        reason ->
                                report(
                                        operation,
                                        "errors",
                                        "%d %s: %s"
                                                .formatted(
                                                        operation.answer().code(),
                                                        operation.answer().error(),
                                                        reason)));
    }

    private void checkAccess(Operation operation) {
        boolean told = operation.answer().isSuccess() || operation.isMissing();
        if (told && !Identity.of(operation).permits(operation)) {
            report(operation, "access", "was answered to a client that may not know");
        }
        refusals.revoked(operation).ifPresent(reason -> report(operation, "access", reason));
    }

    private void checkWrite(Operation write) {
        Answer answer = write.answer();
        if (!answer.isSuccess() || answer.objects().isEmpty()) {
            return;
        }
        Version object = answer.objects().getFirst();
        if (write.act() == Act.DELETE) {
            if (written(write) == 0) {
                report(write, "writes", "was answered, and never stored: " + object.brief());
            }
        } else if (!truth(write).changeAt(answer.revision()).isSeenAs(object)) {
            report(write, "writes", "was answered, and not stored so: " + object.brief());
        }
        if (answer.told() > 0 && !isToken(write, answer.told())) {
            report(
                    write,
                    "tokens",
                    "the token is " + answer.told() + " in place of " + written(write));
        }
    }

    /** A deletion is answered with the newest revision of the server after it. */
    private boolean isToken(Operation write, long told) {
        if (write.act() != Act.DELETE) {
            return told == written(write);
        }
        long newest = history.newest(write.returned() + AHEAD + delays.near(write));
        return told >= written(write) && told <= newest + OTHERS;
    }

    private void checkRead(Operation read) {
        Answer answer = read.answer();
        boolean answered = answer.isSuccess() || read.isMissing();
        if (!answered) {
            return;
        }
        long revision = read.act() == Act.GET ? checkObject(read) : checkState(read);
        checkPresent(read, revision);
        checkFreshness(read, read.returned(), answer.revision());
    }

    /** Returns the last revision at which the object was as it was answered. */
    private long checkObject(Operation read) {
        Version object = read.isMissing() ? Version.NONE : read.answer().objects().getFirst();
        String key = read.selected().namespace() + "/" + read.selected().name();
        long last = truth(read).lastWith(key, object);
        long told = read.answer().told();
        if (last < 0) {
            report(read, "states", "never was: " + object.brief());
            return Long.MAX_VALUE;
        }
        if (told >= 0 && !read.isFromUpstream() && !read.isMissing()) {
            Version stored = truth(read).at(key, told);
            if (stored.isSeenAs(object)) {
                return told;
            }
            report(
                    read,
                    "states",
                    "at %d was %s in place of %s".formatted(told, object.brief(), stored.brief()));
        }
        return last;
    }

    private long checkState(Operation read) {
        Answer answer = read.answer();
        long revision = answer.revision();
        if (read.mode() == Mode.EXACT && revision != read.wanted()) {
            report(read, "exact", "answered " + revision + " in place of " + read.wanted());
        }
        if (answer.told() >= 0 && answer.told() != revision) {
            report(read, "headers", "the header tells " + answer.told());
        }
        SortedMap<String, Version> stored = truth(read).state(revision, read.selected());
        if (read.act() == Act.COUNT) {
            if (answer.count() != stored.size()) {
                report(read, "states", answer.count() + " in place of " + stored.size());
            }
        } else {
            SortedMap<String, Version> shown = byKey(answer.objects());
            compare(read, "states", shown, stored, revision, read.returned());
            checkOrder(read);
        }
        return revision;
    }

    private void checkOrder(Operation read) {
        List<Version> objects = read.answer().objects();
        boolean sorted = read.request().contains("sortBy=");
        for (int i = 1; i < objects.size(); i++) {
            Version one = objects.get(i - 1);
            Version next = objects.get(i);
            int order =
                    sorted
                            ? Long.compare(number(one), number(next))
                            : one.key().compareTo(next.key());
            if (order >= 0) {
                report(read, "order", one.brief() + " is before " + next.brief());
            }
        }
    }

    private static long number(Version version) {
        return version.value().isEmpty() ? 0 : Long.parseLong(version.value());
    }

    private static SortedMap<String, Version> byKey(List<Version> objects) {
        SortedMap<String, Version> map = new TreeMap<>();
        objects.forEach(object -> map.put(object.key(), object));
        return map;
    }

    private void compare(
            Operation operation,
            String promise,
            Map<String, Version> seen,
            Map<String, Version> stored,
            long revision,
            long at) {
        for (Version version : stored.values()) {
            Version shown = seen.getOrDefault(version.key(), Version.NONE);
            if (!version.isSeenAs(shown)) {
                String text =
                        "at %d is %s in place of %s"
                                .formatted(revision, shown.brief(), version.brief());
                report(operation, promise, text, at);
                return;
            }
        }
        for (Version version : seen.values()) {
            if (!stored.containsKey(version.key())) {
                report(operation, promise, "at " + revision + " is " + version.brief(), at);
                return;
            }
        }
    }

    /** The API server does not know of shards, and its watches have the events of all of them. */
    private static Selected selected(Operation watch) {
        Selected selected = watch.selected();
        return watch.isPassed()
                ? new Selected(selected.namespace(), selected.name(), selected.label(), -1)
                : selected;
    }

    /** Checks that an answer is not older than what was seen, written, and asked for. */
    private void checkPresent(Operation read, long revision) {
        boolean waits = !read.isPassed() || read.mode() == Mode.RECENT;
        long asked =
                Math.max(
                        read.mode() == Mode.NOT_OLDER ? read.wanted() : 0,
                        waits ? read.minimum() : 0);
        if (revision < asked) {
            report(read, "minimum", "answered " + revision + ", older than " + asked);
        }
        if (!read.isOfPresent()) {
            return;
        }
        if (read.life() >= 0 && !read.isPassed()) {
            Floors.Seen floor = mirrors.before(life(read), read.called());
            if (revision < floor.revision()) {
                report(read, "never back", before(revision, floor));
            }
            checkOwnWrites(read, revision);
        }
        boolean linearizable = verified.contains(read.resource()) && !read.isWatch();
        if (read.mode() == Mode.RECENT && (linearizable || read.isFromUpstream())) {
            Floors.Seen floor = types.before(read.resource(), read.called());
            if (truth(read).effective(revision) < floor.revision()) {
                report(read, "linearizable", before(revision, floor));
            }
        }
    }

    private static String before(long revision, Floors.Seen floor) {
        return "answered %d after %d was known by #%d %s of %s"
                .formatted(
                        revision,
                        floor.revision(),
                        floor.by().id(),
                        floor.by().act(),
                        floor.by().client());
    }

    /** The newest revision that a write of this process has told, even if it was refused. */
    private long newestWrite(Operation read) {
        return history.operations().stream()
                .filter(Operation::isWrite)
                .filter(write -> life(write).equals(life(read)))
                .filter(write -> write.called() < read.returned())
                .mapToLong(write -> Math.max(written(write), write.answer().told()))
                .max()
                .orElse(0);
    }

    private void checkOwnWrites(Operation read, long revision) {
        for (OwnWrite own : writes.getOrDefault(life(read), List.of())) {
            Operation write = own.write();
            if (write.returned() < read.called() && revision < own.revision()) {
                Version object = write.answer().objects().getFirst();
                Version shown = truth(read).at(object.key(), revision);
                boolean concerned =
                        read.selected().matches(shown)
                                || (write.act() == Act.WRITE && read.selected().matches(object));
                if (concerned) {
                    report(
                            read,
                            "own writes",
                            "answered %d after #%d had written %s"
                                    .formatted(revision, write.id(), object.brief()));
                    return;
                }
            }
        }
    }

    /** Checks what was told of the connection to the API server at a time. */
    private void checkFreshness(Operation read, long at, long revision) {
        if (read.isFromUpstream() || read.answer().age() < 0 || isDated(read)) {
            return;
        }
        long age = read.answer().age();
        double slow = delays.near(read.replica(), read.called(), at) / SECOND;
        // Reads are refused also after a wait, watches before it only (consistency.md).
        double waited = read.isWatch() ? (at - read.called()) / SECOND : 0;
        if (age > 1 + waited && read.request().contains(Client.MAX_AGE)) {
            report(read, "age", "is " + age + " s, more than was asked for");
        }
        for (Fault fault : history.faults()) {
            boolean during = read.called() > fault.from() && at < fault.until();
            if (!during || !fault.replica().equals(read.replica()) || !fault.silent()) {
                continue;
            }
            double silent = (read.called() - fault.from()) / SECOND;
            if (age < silent - AGE_ERROR - slow) {
                report(read, "age", "is %d s after %.1f s".formatted(age, silent));
            }
            boolean synced = read.answer().state().equals("synced");
            if (synced && fault.kind() == Fault.Kind.PARTITION && silent > NOTICE + slow) {
                report(read, "state", "is synced after %.1f s".formatted(silent));
            }
        }
        refusals.unhealthy(read).ifPresent(reason -> report(read, "state", reason, at));
        Map.Entry<Long, Long> write =
                begun.getOrDefault(read.resource(), new TreeMap<>()).floorEntry(revision);
        if (write != null) {
            double since = (at - write.getValue()) / SECOND;
            if (age > since + AGE_ERROR + slow) {
                report(read, "age", "is %d s, %.1f s after a write it has".formatted(age, since));
            }
        }
    }

    /** The age of a stored state is known by a clock, which may have been stepped meanwhile. */
    private boolean isDated(Operation read) {
        return read.life() != 1
                && read.answer().state().equals("stale")
                && history.faults().stream()
                        .filter(fault -> fault.kind() == Fault.Kind.STEP_CLOCK)
                        .filter(fault -> fault.concerns(read.replica()))
                        .anyMatch(fault -> fault.from() < read.returned());
    }

    private void checkWatch(Operation watch) {
        if (watch.answer().code() == 200) {
            checkHead(watch);
            new WatchCheck(watch).run();
        }
    }

    /** Checks what the headers of a watch tell of its mirror; a stream has none. */
    private void checkHead(Operation watch) {
        long told = watch.answer().told();
        long at = watch.answer().head().at();
        if (told < 0 || watch.isFromUpstream()) {
            return;
        }
        checkFreshness(watch, at, told);
        List<Frame> frames = watch.answer().frames();
        boolean failed = !frames.isEmpty() && frames.getFirst().isError();
        // A watch that resumes or fails shows no state, so its header is about the mirror only.
        Floors floors = watch.mode() == Mode.RESUME || failed ? own : mirrors;
        Floors.Seen floor = floors.before(life(watch), watch.called());
        if (watch.life() >= 0 && told < floor.revision()) {
            report(watch, "headers", before(told, floor), at);
        }
        long newest = history.newest(at + AHEAD + delays.near(watch));
        if (told > newest + OTHERS) {
            report(watch, "headers", "the header tells " + told + " before " + newest, at);
        }
        boolean shows = watch.mode() == Mode.NOT_OLDER && !frames.isEmpty() && !failed;
        if (shows && told < watch.wanted()) {
            report(watch, "headers", "the header tells " + told + " of a later state", at);
        }
    }

    /** Follows the events of one watch. */
    private final class WatchCheck {

        private final Operation watch;
        private final SortedMap<String, Version> shown = new TreeMap<>();
        private NavigableMap<Long, Frame> expected = new TreeMap<>();

        private boolean begun;
        private long last;

        WatchCheck(Operation watch) {
            this.watch = watch;
            if (watch.mode() == Mode.RESUME) {
                begin(watch.wanted());
            }
        }

        private void begin(long revision) {
            begun = true;
            last = revision;
            expected = truth(watch).events(revision, selected(watch));
            shown.clear();
            shown.putAll(truth(watch).state(revision, selected(watch)));
        }

        void run() {
            int before = violations.size();
            boolean ended = false;
            for (Frame frame : watch.answer().frames()) {
                if (ended) {
                    report(watch, "end", "follows an error: " + text(frame), frame.at());
                }
                ended |= frame.isError();
                if (!frame.isError()) {
                    step(frame);
                }
                if (violations.size() > before) {
                    return;
                }
            }
            checkEnd();
        }

        private void step(Frame frame) {
            if (!begun) {
                initial(frame);
            } else if (frame.isBookmark()) {
                bookmark(frame);
            } else {
                event(frame);
            }
        }

        private void initial(Frame frame) {
            if (frame.end()) {
                SortedMap<String, Version> initial = new TreeMap<>(shown);
                long revision = frame.revision();
                begin(revision);
                compare(watch, "atomic", initial, shown, revision, frame.at());
                checkPresent(watch, revision);
                if (revision < watch.answer().told()) {
                    report(watch, "headers", "began before " + watch.answer().told());
                }
            } else if (frame.type().equals("ADDED")) {
                if (shown.put(frame.object().key(), frame.object()) != null) {
                    report(watch, "unique", "twice: " + text(frame), frame.at());
                }
            } else {
                report(watch, "initial", "before the end: " + text(frame), frame.at());
            }
        }

        private void bookmark(Frame frame) {
            if (frame.revision() < last) {
                report(watch, "ordered", last + " was before " + text(frame), frame.at());
                return;
            }
            checkMissed(frame.revision() + 1, frame);
            last = frame.revision();
            SortedMap<String, Version> stored = truth(watch).state(last, selected(watch));
            compare(watch, "bookmarkable", shown, stored, last, frame.at());
        }

        private void event(Frame frame) {
            if (frame.revision() <= last) {
                report(watch, "ordered", last + " was before " + text(frame), frame.at());
                return;
            }
            checkMissed(frame.revision(), frame);
            last = frame.revision();
            boolean covered = bridges.cover(watch, frame.revision());
            events++;
            exempted += covered ? 1 : 0;
            if (covered) {
                checkVersion(frame);
            } else {
                checkExpected(frame);
            }
            apply(frame, covered);
        }

        private void checkExpected(Frame frame) {
            Frame stored = expected.get(frame.revision());
            if (stored == null) {
                report(watch, "filtered", "was not to be sent: " + text(frame), frame.at());
            } else if (!stored.type().equals(frame.type())
                    || !stored.object().isSeenAs(frame.object())) {
                String text = text(frame) + " in place of " + text(stored);
                report(watch, "reliable", text, frame.at());
            }
        }

        private void checkVersion(Frame frame) {
            Version stored = truth(watch).changeAt(frame.revision());
            if (!frame.type().equals("DELETED") && !stored.isSeenAs(frame.object())) {
                report(watch, "reliable", "never was: " + text(frame), frame.at());
            }
        }

        private void apply(Frame frame, boolean loose) {
            Version object = frame.object();
            boolean was = shown.containsKey(object.key());
            boolean fits = was != frame.type().equals("ADDED");
            if (!fits && !loose) {
                report(watch, "filtered", "the client has it: " + was + ": " + text(frame));
            }
            if (frame.type().equals("DELETED")) {
                shown.remove(object.key());
            } else {
                shown.put(object.key(), object);
            }
        }

        private void checkMissed(long before, Frame frame) {
            if (before <= last + 1) {
                return;
            }
            for (Frame missed : expected.subMap(last, false, before, false).values()) {
                events++;
                exempted++;
                if (!bridges.cover(watch, missed.revision())) {
                    report(
                            watch,
                            "reliable",
                            text(missed) + " is missing before " + text(frame),
                            frame.at());
                    return;
                }
            }
        }

        private void checkEnd() {
            boolean starved =
                    watch.answer().starved()
                            && begun
                            && delays.near(watch.replica(), watch.returned(), watch.returned())
                                    < AHEAD;
            if (starved) {
                expected.tailMap(last, false).values().stream()
                        .filter(this::isAwaited)
                        .findFirst()
                        .ifPresent(
                                missed -> report(watch, "reliable", "never came: " + text(missed)));
            }
            boolean asked = watch.request().contains("bookmarkIntervalSeconds=1");
            if (asked && !watch.isPassed()) {
                checkBookmarks(watch.answer().frames());
            }
        }

        /** A change may be stored, and a watch may begin, shortly before the end of the run. */
        private boolean isAwaited(Frame missed) {
            long stored = truth(watch).changeAt(missed.revision()).at();
            long since = Math.max(stored, watch.answer().head().at());
            return watch.returned() - since > PATIENCE && !bridges.cover(watch, missed.revision());
        }

        /** While events arrive without a pause, nothing keeps bookmarks away. */
        private void checkBookmarks(List<Frame> frames) {
            long since = 0;
            double slow = delays.near(watch) / SECOND;
            for (int i = 0; i < frames.size(); i++) {
                Frame frame = frames.get(i);
                boolean pause = i == 0 || frame.at() - frames.get(i - 1).at() > SECOND;
                since = pause || frame.isBookmark() ? frame.at() : since;
                double silent = (frame.at() - since) / SECOND;
                if (silent > BOOKMARKS + slow) {
                    String text = "no bookmark for %.1f s of events".formatted(silent);
                    report(watch, "bookmarkable", text, frame.at());
                    return;
                }
            }
        }

        private static String text(Frame frame) {
            return frame.type() + " " + frame.revision() + " " + frame.object().brief();
        }
    }
}
