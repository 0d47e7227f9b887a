package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/**
 * A client of kubemirror that watches what a filter selects, disconnects and reconnects, and
 * records everything.
 */
final class LocalClient {

    /** How many observations a failure shows. */
    private static final int EXCERPT = 12;

    private Mirror mirror;
    private final HistoryPosition historyPosition;
    private final SelectionFilter filter;
    private final RandomGenerator random;
    private final int zeal;
    private final List<ClientObservation> clientObservations = new ArrayList<>();
    private @Nullable Cursor cursor;

    /** The newest revision that it received, of its list, an event, or a bookmark. */
    private Revision told = Revision.ZERO;

    /** The revision that it has read up to since its last list. */
    private Revision reached = Revision.ZERO;

    private int stepsBack;

    /**
     * A client that has not connected yet.
     *
     * @param zeal how often it does something, in percent: one that rarely does is too slow
     */
    LocalClient(
            Mirror mirror,
            HistoryPosition historyPosition,
            SelectionFilter filter,
            RandomGenerator random,
            int zeal) {
        this.mirror = mirror;
        this.historyPosition = historyPosition;
        this.filter = filter;
        this.random = random;
        this.zeal = zeal;
    }

    /** Several clients with random filters, some of which are too slow. */
    static List<LocalClient> several(
            Mirror mirror, HistoryPosition historyPosition, Simulation simulation) {
        List<LocalClient> clients = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int zeal = simulation.any(List.of(3, 20, 60, 100));
            SelectionFilter filter = simulation.any(SelectionFilter.CLIENTS);
            clients.add(
                    new LocalClient(mirror, historyPosition, filter, simulation.random(), zeal));
        }
        return clients;
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
        if (clientObservations.isEmpty() || random.nextInt(10) == 0) {
            list();
        } else if (stepsBack == historyPosition.stepsBack()) {
            resume();
        } else {
            resumeFromLostHistory();
        }
    }

    private void list() {
        Mirror.Position position = mirror.position().orElseThrow();
        List<KubeObject> objects =
                StreamSupport.stream(
                                position.snapshot().select(filter.selection(), "").spliterator(),
                                false)
                        .toList();
        cursor = position.cursor();
        told = position.snapshot().revision();
        reached = told;
        stepsBack = historyPosition.stepsBack();
        clientObservations.add(
                new ClientObservation.Listed(historyPosition.historicalRevision(), objects));
    }

    private void resume() {
        switch (mirror.start(told)) {
            case StartPosition.From from -> {
                cursor = from.cursor();
                clientObservations.add(new ClientObservation.Resumed(told));
            }
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
            filter.selection()
                    .view(logged.change())
                    .ifPresent(
                            change -> {
                                clientObservations.add(new ClientObservation.Changed(change));
                                told = change.revision();
                            });
        }
        if (hangUp) {
            cursor = null;
        } else {
            reach(progress.next());
        }
    }

    /** The client learns the revision only by a bookmark. */
    private void reach(Cursor next) {
        cursor = next;
        if (next.revision().isAfter(mirror.revision())) {
            // The mirror has been restored from disk, and is not there yet.
            return;
        }
        if (!next.revision().equals(historyPosition.historicalRevision().revision())) {
            throw new AssertionError(
                    "Bookmarkable: %s at %s".formatted(next, historyPosition.historicalRevision()));
        }
        ClientObservation observed =
                new ClientObservation.Reached(historyPosition.historicalRevision());
        reached = next.revision();
        if (!clientObservations.getLast().equals(observed)) {
            clientObservations.add(observed);
        }
        if (random.nextInt(3) == 0) {
            told = next.revision();
        }
    }

    /** Checks all observations against the guarantees. */
    void check(SelectionFilter scope) {
        check("Ordered", Guarantees::ordered);
        check("Unique", Guarantees::unique);
        check("Reliable", some -> Guarantees.reliable(some, scope, filter));
        check("Filtered", some -> Guarantees.filtered(some, filter));
    }

    private void check(String name, Function<List<ClientObservation>, Optional<String>> guarantee) {
        if (guarantee.apply(clientObservations).isEmpty()) {
            return;
        }
        int end = 1;
        while (guarantee.apply(clientObservations.subList(0, end)).isEmpty()) {
            end++;
        }
        List<ClientObservation> start = clientObservations.subList(0, end);
        throw new AssertionError(
                "%s: %s\nwho selects %s and last saw %s"
                        .formatted(
                                name,
                                guarantee.apply(start).orElseThrow(),
                                filter,
                                start.subList(Math.max(0, end - EXCERPT), end)));
    }
}
