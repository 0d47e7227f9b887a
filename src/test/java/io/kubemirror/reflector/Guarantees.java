package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/**
 * The guarantees of kubemirror as functions of a recorded history. Each returns the first
 * violation, if there is one.
 */
final class Guarantees {

    private Guarantees() {}

    /** The mirror shows what the server had at that revision. */
    static Optional<String> faithful(
            Collection<KubeObject> shown,
            HistoricalRevision historicalRevision,
            SelectionFilter scope) {
        Collection<KubeObject> had = scope.of(historicalRevision.objects());
        return isSame(shown, had)
                ? Optional.empty()
                : Optional.of("%s is not %s at %s".formatted(shown, had, historicalRevision));
    }

    /** Whether the mirror shows what the server has now, or nothing while it has no such type. */
    static boolean isUpToDate(Mirror mirror, SimulatedServer server, SelectionFilter scope) {
        if (!server.present()) {
            return mirror.snapshot().isEmpty();
        }
        HistoricalRevision now = new HistoricalRevision(server.now(), server.revision());
        return mirror.snapshot()
                .filter(snapshot -> faithful(snapshot.objects(), now, scope).isEmpty())
                .isPresent();
    }

    /** After a list, events arrive in the order of their revisions, and none arrives twice. */
    static Optional<String> ordered(List<ClientObservation> clientObservations) {
        Revision newest = Revision.ZERO;
        for (ClientObservation clientObservation : clientObservations) {
            switch (clientObservation) {
                case ClientObservation.Listed listed -> newest = listed.at().revision();
                case ClientObservation.Changed changed -> {
                    if (!changed.change().revision().isAfter(newest)) {
                        return Optional.of(changed + " came after " + newest);
                    }
                    newest = changed.change().revision();
                }
                case ClientObservation.Reached reached -> {
                    if (reached.at().revision().isBefore(newest)) {
                        return Optional.of(reached + " came after " + newest);
                    }
                    newest = reached.at().revision();
                }
                case ClientObservation.Resumed _ -> {}
            }
        }
        return Optional.empty();
    }

    /** Every event follows from the state of the client: no event is repeated or left out. */
    static Optional<String> unique(List<ClientObservation> clientObservations) {
        Map<ObjectKey, KubeObject> known = new TreeMap<>();
        for (ClientObservation clientObservation : clientObservations) {
            switch (clientObservation) {
                case ClientObservation.Listed listed -> begin(known, listed);
                case ClientObservation.Changed(Change change) -> {
                    if (!continuesFrom(known.get(change.key()), change)) {
                        return Optional.of(
                                change + " though the client knew " + known.get(change.key()));
                    }
                    fold(known, change);
                }
                case ClientObservation.Reached _, ClientObservation.Resumed _ -> {}
            }
        }
        return Optional.empty();
    }

    private static boolean continuesFrom(@Nullable KubeObject known, Change change) {
        return switch (change) {
            case Change.Added _ -> known == null;
            case Change.Modified modified ->
                    known != null
                            && isSame(known, modified.previous())
                            && known.uid().equals(modified.object().uid());
            case Change.Deleted deleted -> known != null && isSame(known, deleted.previous());
        };
    }

    /**
     * Whenever everything up to a revision was seen, what was seen adds up to what the server had
     * then, of what the client asked for. As clients go away anywhere and come again after the last
     * event or bookmark, this is what makes streams resumable and bookmarks true.
     */
    static Optional<String> reliable(
            List<ClientObservation> clientObservations,
            SelectionFilter scope,
            SelectionFilter filter) {
        Map<ObjectKey, KubeObject> known = new TreeMap<>();
        for (ClientObservation clientObservation : clientObservations) {
            Optional<HistoricalRevision> complete = Optional.empty();
            switch (clientObservation) {
                case ClientObservation.Listed listed -> {
                    begin(known, listed);
                    complete = Optional.of(listed.at());
                }
                case ClientObservation.Changed changed -> fold(known, changed.change());
                case ClientObservation.Reached reached -> complete = Optional.of(reached.at());
                case ClientObservation.Resumed _ -> {}
            }
            if (complete.isPresent()) {
                Collection<KubeObject> expected = filter.of(scope.of(complete.get().objects()));
                if (!isSame(known.values(), expected)) {
                    return Optional.of(
                            "%s adds up to %s instead of %s"
                                    .formatted(clientObservation, known.values(), expected));
                }
            }
        }
        return Optional.empty();
    }

    /** A client sees only what it selected: additions match, and deletions matched. */
    static Optional<String> filtered(
            List<ClientObservation> clientObservations, SelectionFilter filter) {
        return clientObservations.stream()
                .filter(
                        clientObservation ->
                                clientObservation
                                                instanceof ClientObservation.Changed(Change change)
                                        && !filter.holds().test(change.latest()))
                .findFirst()
                .map(clientObservation -> clientObservation + " does not match " + filter);
    }

    /** The history stays within its limits. */
    static Optional<String> bounded(Mirror mirror, Window window) {
        return mirror.view().recent().changes() <= window.maximum()
                        && mirror.view().recent().bytes() <= window.bytes()
                ? Optional.empty()
                : Optional.of(
                        "%d changes of %d bytes are kept"
                                .formatted(
                                        mirror.view().recent().changes(),
                                        mirror.view().recent().bytes()));
    }

    /** The number of requests within any minute is limited. */
    static Optional<String> bounded(SimulatedRequests simulatedRequests) {
        int lists =
                simulatedRequests.mostInAMinute(
                        FaultPlan.FaultVerb.LIST, FaultPlan.FaultVerb.WATCH_LIST);
        int watches = simulatedRequests.mostInAMinute(FaultPlan.FaultVerb.WATCH);
        int discoveries = simulatedRequests.mostInAMinute(FaultPlan.FaultVerb.DISCOVER);
        return lists <= 60 && watches <= 75 && discoveries <= 60
                ? Optional.empty()
                : Optional.of(
                        "%d lists, %d watches, %d discoveries in a minute"
                                .formatted(lists, watches, discoveries));
    }

    private static void begin(Map<ObjectKey, KubeObject> known, ClientObservation.Listed listed) {
        known.clear();
        listed.objects().forEach(object -> known.put(object.key(), object));
    }

    private static void fold(Map<ObjectKey, KubeObject> known, Change change) {
        switch (change) {
            case Change.Added added -> known.put(added.key(), added.object());
            case Change.Modified modified -> known.put(modified.key(), modified.object());
            case Change.Deleted deleted -> known.remove(deleted.key());
        }
    }

    private static boolean isSame(Collection<KubeObject> some, Collection<KubeObject> others) {
        if (some.size() != others.size()) {
            return false;
        }
        Iterator<KubeObject> other = others.iterator();
        return some.stream().allMatch(one -> isSame(one, other.next()));
    }

    private static boolean isSame(KubeObject one, KubeObject other) {
        return one.key().equals(other.key())
                && one.isSameState(other)
                && Arrays.equals(one.json(), other.json());
    }
}
