package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;

import org.jspecify.annotations.Nullable;

/**
 * The position of a mirror in the history of its server. It is checked after every step: the mirror
 * shows only states that the server had, and never an older one to the same clients.
 */
final class HistoryPosition {

    /** What a change of a simulated object costs a window at most. */
    private static final long COST = 2_000;

    private Mirror mirror;
    private final Window window;
    private final SelectionFilter scope;
    private final List<SimulatedHistory> timelines;
    private @Nullable Snapshot shown;
    private @Nullable HistoricalRevision historicalRevision;
    private @Nullable ResourceType type;
    private long era;
    private int timeline;
    private int steps;
    private boolean forgotten;

    /** Whether the process has seen the last step back, or restored a mirror that had. */
    private boolean remembers = true;

    HistoryPosition(
            Mirror mirror, Window window, SelectionFilter scope, List<SimulatedHistory> timelines) {
        this.mirror = mirror;
        this.window = window;
        this.scope = scope;
        this.timelines = timelines;
    }

    /** Returns the state that the mirror shows. It must be one that the server had. */
    HistoricalRevision historicalRevision() {
        if (historicalRevision == null) {
            throw new IllegalStateException("the mirror is empty");
        }
        return historicalRevision;
    }

    /** How often the mirror has stepped back: revisions from before then mean something else. */
    int stepsBack() {
        return steps;
    }

    /** Returns whether a revision from before the last step back can be told from others. */
    boolean remembersStepBack() {
        return remembers;
    }

    /** Another process has this mirror, which may be somewhat older. */
    void restarted(Mirror next) {
        mirror = next;
        shown = null;
        historicalRevision = null;
        forgotten = false;
        remembers &= next.snapshot().isPresent();
        look();
    }

    /** Looks where the mirror stands now. */
    void look() {
        Optional<Mirror.Position> position = mirror.position();
        if (position.isEmpty()) {
            forgotten = true;
        } else if (position.get().snapshot() != shown) {
            show(position.get());
            forgotten = false;
        }
        Guarantees.bounded(mirror, window).ifPresent(HistoryPosition::fail);
    }

    private void show(Mirror.Position position) {
        Snapshot snapshot = position.snapshot();
        HistoricalRevision before = historicalRevision;
        HistoricalRevision now = find(snapshot);
        long newEra = position.cursor().era();
        ResourceType newType = mirror.type().orElseThrow();
        if (before != null) {
            if (era == newEra && !newType.equals(type)) {
                fail("Faithful: objects of %s go on as %s".formatted(type, newType));
            }
            boolean back = now.revision().isBefore(before.revision());
            if (back && era == newEra) {
                fail("the history goes on at %s, before %s".formatted(now, before));
            }
            if (era != newEra && !back && !forgotten && now.timeline() == before.timeline()) {
                undisturbed(before, now);
            }
            boolean elsewhere = forgotten && now.timeline() != before.timeline();
            if (back || elsewhere) {
                steps++;
                remembers = true;
            }
        }
        shown = snapshot;
        historicalRevision = now;
        type = newType;
        era = newEra;
    }

    /** The server's state that is shown: the earliest possible one, as pasts are shared. */
    private HistoricalRevision find(Snapshot snapshot) {
        for (int i = timeline; i < timelines.size(); i++) {
            HistoricalRevision candidate =
                    new HistoricalRevision(timelines.get(i), snapshot.revision());
            if (timelines.get(i).reached(snapshot.revision())
                    && Guarantees.faithful(snapshot.objects(), candidate, scope).isEmpty()) {
                timeline = i;
                return candidate;
            }
        }
        HistoricalRevision present =
                new HistoricalRevision(timelines.getLast(), snapshot.revision());
        throw new AssertionError(
                "Faithful: "
                        + Guarantees.faithful(snapshot.objects(), present, scope)
                                .orElse("a revision that never was: " + snapshot));
    }

    /**
     * Clients must not notice that a list was needed, unless too much has changed
     * (list-watch.md#re-3).
     */
    private void undisturbed(HistoricalRevision before, HistoricalRevision now) {
        int changes = changes(scope.of(before.objects()), scope.of(now.objects()));
        long cost = changes * COST;
        if (changes <= window.maximum() / 2 && cost <= window.bytes()) {
            fail(
                    "Undisturbed: the streams ended between %s and %s, because of %d changes"
                            .formatted(before, now, changes));
        }
    }

    /** How many changes lead from one state to another; a replacement is two. */
    private static int changes(List<KubeObject> before, List<KubeObject> now) {
        Map<String, KubeObject> gone = byUid(before);
        int changes = 0;
        for (KubeObject object : now) {
            KubeObject old = gone.remove(object.uid());
            changes += old != null && old.isSameState(object) ? 0 : 1;
        }
        return changes + gone.size();
    }

    private static Map<String, KubeObject> byUid(List<KubeObject> objects) {
        Map<String, KubeObject> map = new HashMap<>();
        objects.forEach(object -> map.put(object.uid(), object));
        return map;
    }

    private static void fail(String what) {
        throw new AssertionError(what);
    }
}
