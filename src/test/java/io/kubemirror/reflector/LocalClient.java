package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/**
 * A client of kubemirror that watches what a filter selects, disconnects and reconnects, and checks
 * everything that it receives.
 */
final class LocalClient {

    private Mirror mirror;
    private final HistoryPosition historyPosition;
    private final SelectionFilter scope;
    private final SelectionFilter filter;
    private final RandomGenerator random;
    private final int zeal;

    /** What its last list and the changes since then add up to. */
    private final Map<ObjectKey, KubeObject> known = new TreeMap<>();

    private @Nullable Cursor cursor;

    /** The newest revision of its list, a change, or a bookmark. */
    private Revision newest = Revision.ZERO;

    /** The revision that it resumes at: that of its list, an event, or a bookmark. */
    private Revision told = Revision.ZERO;

    /** The revision that it has read up to since its last list. */
    private Revision reached = Revision.ZERO;

    private int stepsBack;

    /**
     * A client that has not connected yet.
     *
     * @param scope what the mirror has
     * @param filter what the client selects
     * @param zeal how often it does something, in percent: one that rarely does is too slow
     */
    LocalClient(
            Mirror mirror,
            HistoryPosition historyPosition,
            SelectionFilter scope,
            SelectionFilter filter,
            RandomGenerator random,
            int zeal) {
        this.mirror = mirror;
        this.historyPosition = historyPosition;
        this.scope = scope;
        this.filter = filter;
        this.random = random;
        this.zeal = zeal;
    }

    /**
     * Its process was killed, and another one has this mirror. It keeps only its revision, which a
     * last bookmark told it.
     */
    void restarted(Mirror next) {
        mirror = next;
        told = Revision.later(told, reached);
        cursor = null;
    }

    /** Returns the revision that it resumes at. */
    Revision told() {
        return told;
    }

    /** Acts at random, if the mirror has content. */
    void act() throws InterruptedException {
        if (random.nextInt(100) >= zeal || mirror.snapshot().isEmpty()) {
            return;
        }
        if (cursor == null) {
            connect();
        } else if (random.nextInt(12) == 0) {
            cursor = null;
        } else {
            read(cursor);
        }
    }

    /** Reads all there is. */
    void catchUp() throws InterruptedException {
        while (cursor == null || !cursor.equals(mirror.position().orElseThrow().cursor())) {
            if (cursor == null) {
                connect();
            } else {
                read(cursor);
            }
        }
    }

    private void connect() {
        if (told.isZero() || random.nextInt(10) == 0) {
            list();
        } else if (stepsBack == historyPosition.stepsBack()) {
            resume();
        } else {
            resumeFromLostHistory();
        }
    }

    private void list() {
        Mirror.Position position = mirror.position().orElseThrow();
        known.clear();
        position.snapshot()
                .select(filter.selection(), "")
                .forEach(object -> known.put(object.key(), object));
        cursor = position.cursor();
        told = position.snapshot().revision();
        reached = told;
        newest = told;
        stepsBack = historyPosition.stepsBack();
        checkState(historyPosition.historicalRevision());
    }

    private void resume() {
        switch (mirror.start(told)) {
            case StartPosition.From from -> cursor = from.cursor();
            case StartPosition.TooOld _ -> list();
        }
    }

    /**
     * Its revision is from before the server went back. Until the server reaches that revision
     * again, this must be noticed, because the client would wait forever. Afterward it cannot be
     * detected, nor by a process that has found nothing on disk.
     */
    private void resumeFromLostHistory() {
        if (historyPosition.remembersStepBack()
                && told.isAfter(mirror.revision())
                && !(mirror.start(told) instanceof StartPosition.TooOld)) {
            throw new AssertionError("Resumable: " + told + " is from a lost history");
        }
        list();
    }

    private void read(Cursor from) throws InterruptedException {
        switch (mirror.read(from)) {
            case Reading.Progress progress -> take(progress);
            case Reading.Expired expired -> {
                if (!expired.floor().isAfter(from.revision())) {
                    throw new AssertionError(from + " has expired, but " + expired + " has not");
                }
                list();
            }
            case Reading.Gap gap -> throw new AssertionError(gap);
            case Reading.Ended _ -> cursor = null;
        }
    }

    private void take(Reading.Progress progress) {
        List<LoggedChange> changes = progress.changes();
        boolean hangUp = !changes.isEmpty() && random.nextInt(4) == 0;
        int count = hangUp ? random.nextInt(changes.size()) : changes.size();
        for (LoggedChange logged : changes.subList(0, count)) {
            filter.selection().view(logged.change()).ifPresent(this::receive);
        }
        if (hangUp) {
            cursor = null;
        } else {
            reach(progress.next());
        }
    }

    /** Each change is newer than what came before, selected, and follows from what is known. */
    private void receive(Change change) {
        KubeObject before = known.get(change.key());
        check("Ordered", change.revision().isAfter(newest), change);
        check("Filtered", filter.holds().test(change.latest()), change);
        check("Unique", follows(before, change), change);
        if (change instanceof Change.Deleted) {
            known.remove(change.key());
        } else {
            known.put(change.key(), change.latest());
        }
        newest = change.revision();
        told = newest;
    }

    private static boolean follows(@Nullable KubeObject before, Change change) {
        return switch (change) {
            case Change.Added _ -> before == null;
            case Change.Modified(var _, var previous, var object) ->
                    before != null
                            && Guarantees.isSame(before, previous)
                            && before.uid().equals(object.uid());
            case Change.Deleted(var _, var previous) ->
                    before != null && Guarantees.isSame(before, previous);
        };
    }

    /** The client learns the revision only by a bookmark. */
    private void reach(Cursor next) {
        cursor = next;
        if (next.revision().isAfter(mirror.revision())) {
            // The mirror has been restored from disk, and is not there yet.
            return;
        }
        HistoricalRevision at = historyPosition.historicalRevision();
        check("Bookmarkable", next.revision().equals(at.revision()), next);
        check("Ordered", !next.revision().isBefore(newest), next);
        checkState(at);
        newest = next.revision();
        reached = newest;
        if (random.nextInt(3) == 0) {
            told = newest;
        }
    }

    /**
     * Whenever everything up to a revision was seen, what was seen adds up to what the server had
     * then, of what the client asked for. As clients go away anywhere and come again after the last
     * event or bookmark, this is what makes streams resumable and bookmarks true.
     */
    private void checkState(HistoricalRevision at) {
        Guarantees.faithful(known.values(), at, scope, filter)
                .ifPresent(difference -> check("Reliable", false, difference));
    }

    private void check(String guarantee, boolean holds, Object received) {
        if (!holds) {
            throw new AssertionError(
                    "%s: %s, by a client that selects %s and has %s at %s"
                            .formatted(guarantee, received, filter, known.values(), newest));
        }
    }
}
