package io.kubemirror.ops;

import io.kubemirror.ops.Diagnosis.Finding;
import io.kubemirror.ops.Diagnosis.Finding.Kind;
import io.kubemirror.ops.Diagnosis.Finding.Severity;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Derives the findings of a diagnosis: problems and how to solve them. */
final class Findings {

    /** Fraction of the heap in use after garbage collection. */
    private static final double FULL = 0.85;

    /**
     * A client with no more pending changes than this is never reported as slow, however small the
     * history is.
     */
    private static final long FEW = 50;

    /** A client that is behind by this fraction of the history will soon lose its position. */
    private static final double LATE = 0.5;

    private Findings() {}

    /** All findings, the most severe first. */
    static List<Finding> of(
            Diagnosis.UpstreamDiagnosis upstream,
            Diagnosis.Memory memory,
            List<MirrorDiagnosis> mirrors) {
        List<Finding> all = new ArrayList<>();
        if (upstream.problem() != null) {
            all.add(new Finding(Severity.ERROR, Kind.UNREACHABLE, "", upstream.problem()));
        }
        if (memory.heapKeptBytes() > FULL * memory.heapMaxBytes()) {
            all.add(new Finding(Severity.WARNING, Kind.MEMORY, "", full(memory)));
        }
        mirrors.forEach(mirror -> add(mirror, all));
        all.sort(Comparator.comparing(Finding::severity).thenComparing(Finding::kind));
        return all;
    }

    private static String full(Diagnosis.Memory memory) {
        return "%d of %d MB of the heap stay in use; raise the memory limit or mirror less"
                .formatted(memory.heapKeptBytes() >> 20, memory.heapMaxBytes() >> 20);
    }

    private static void add(MirrorDiagnosis mirror, List<Finding> all) {
        String name = mirror.name();
        addState(name, mirror.state(), all);
        mirror.access().forEach((verb, access) -> addAccess(name, verb, access, all));
        addWatchers(name, mirror, all);
        long differences = count(mirror.counts(), "different") + count(mirror.counts(), "ahead");
        if (differences > 0) {
            all.add(
                    new Finding(
                            Severity.NOTE,
                            Kind.DIFFERENCE,
                            name,
                            differences
                                    + " comparisons with the server found a difference, which was"
                                    + " healed"));
        }
    }

    private static long count(Map<String, Long> counts, String outcome) {
        return counts.getOrDefault("upstream.audits." + outcome, 0L);
    }

    private static void addState(
            String name, MirrorDiagnosis.MirrorState state, List<Finding> all) {
        String why = state.problem() == null ? "" : ": " + state.problem();
        boolean follows = state.phase().equals("watching");
        if (!state.synced()) {
            all.add(
                    new Finding(
                            Severity.ERROR,
                            Kind.NOT_SYNCHRONISED,
                            name,
                            "has nothing to answer with yet" + why));
        } else if (!follows && state.problem() != null) {
            all.add(new Finding(Severity.WARNING, Kind.CUT_OFF, name, state.phase() + why));
        }
    }

    private static void addAccess(
            String name, String verb, MirrorDiagnosis.AccessStatus access, List<Finding> all) {
        if (Boolean.FALSE.equals(access.allowed())) {
            String text = "kubemirror's user " + access.reason();
            // A mirror requires list and watch; get is needed only for proxied reads.
            all.add(
                    verb.equals("get")
                            ? new Finding(Severity.WARNING, Kind.DENIED, name, text)
                            : new Finding(Severity.ERROR, Kind.DENIED, name, text));
        }
    }

    private static void addWatchers(String name, MirrorDiagnosis mirror, List<Finding> all) {
        long late = (long) (LATE * mirror.window().changes());
        mirror.watchers().shown().stream()
                .filter(watcher -> watcher.behind() > Math.max(late, FEW))
                .findFirst()
                .ifPresent(
                        watcher ->
                                all.add(
                                        new Finding(
                                                Severity.WARNING,
                                                Kind.WATCHER,
                                                name,
                                                slow(watcher, mirror))));
    }

    private static String slow(MirrorDiagnosis.WatcherStatus watcher, MirrorDiagnosis mirror) {
        return "the client at %s is %d of %d changes behind; it is told to list again (410) once it is overtaken"
                .formatted(watcher.client(), watcher.behind(), mirror.window().changes());
    }
}
