package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.KubeObject;

/**
 * The guarantees of kubemirror about its mirrors and its requests. Each returns a violation, if
 * there is one. {@link LocalClient} checks those about clients.
 */
final class Guarantees {

    private Guarantees() {}

    /** What is shown is what the server had at that revision, of what all filters select. */
    static Optional<String> faithful(
            Collection<KubeObject> shown,
            HistoricalRevision historicalRevision,
            SelectionFilter... filters) {
        Collection<KubeObject> had = historicalRevision.objects();
        for (SelectionFilter filter : filters) {
            had = filter.of(had);
        }
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

    private static boolean isSame(Collection<KubeObject> some, Collection<KubeObject> others) {
        if (some.size() != others.size()) {
            return false;
        }
        Iterator<KubeObject> other = others.iterator();
        return some.stream().allMatch(one -> isSame(one, other.next()));
    }

    static boolean isSame(KubeObject one, KubeObject other) {
        return one.key().equals(other.key())
                && one.isSameState(other)
                && Arrays.equals(one.json(), other.json());
    }
}
