package io.kubemirror.app.health;

import static java.util.Comparator.comparing;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toList;

import module java.base;

import io.kubemirror.app.health.Diagnosis.MemoryUse;
import io.kubemirror.app.health.Diagnosis.UpstreamDiagnosis;
import io.kubemirror.app.health.Finding.Kind;
import io.kubemirror.app.health.Finding.Severity;
import io.kubemirror.app.health.MirrorDiagnosis.AccessStatus;
import io.kubemirror.app.health.MirrorDiagnosis.MirrorState;

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

    /** The number of mirrors that a finding about several names. */
    private static final int NAMED = 5;

    private final List<Finding> all = new ArrayList<>();

    private final List<MirrorDiagnosis> mirrors;
    private final Set<String> lost;

    /**
     * Creates the findings.
     *
     * @param lost the mirrors for which the health is down
     */
    Findings(List<MirrorDiagnosis> mirrors, Set<String> lost) {
        this.mirrors = mirrors;
        this.lost = lost;
    }

    /** Returns all findings, the most severe first. Errors are what the health says, too. */
    List<Finding> all(UpstreamDiagnosis upstream, MemoryUse memory, List<Finding> further) {
        all.addAll(further);
        if (upstream.problem() != null) {
            boolean down = mirrors.stream().anyMatch(one -> isDown(one.name(), one.state()));
            Severity severity = down ? Severity.ERROR : Severity.WARNING;
            add(severity, upstream.kind(), "", upstream.problem());
        }
        if (memory.heapKeptBytes() > FULL * memory.heapMaxBytes()) {
            String text =
                    "%d of %d MB of the heap are in use after garbage collection"
                            .formatted(memory.heapKeptBytes() >> 20, memory.heapMaxBytes() >> 20);
            add(Severity.WARNING, Kind.MEMORY, "", text);
        }
        mirrors.forEach(this::add);
        return all.stream()
                .collect(groupingBy(Findings::cause, LinkedHashMap::new, toList()))
                .values()
                .stream()
                .map(Findings::joined)
                .sorted(comparing(Finding::severity).thenComparing(Finding::kind))
                .toList();
    }

    /** What findings about several mirrors have in common if they have one cause. */
    private static Finding cause(Finding one) {
        return new Finding(one.severity(), one.kind(), "", one.text(), one.action());
    }

    private static Finding joined(List<Finding> same) {
        Finding first = same.getFirst();
        if (same.size() == 1) {
            return first;
        }
        String names = same.stream().limit(NAMED).map(Finding::mirror).collect(joining(", "));
        String more = same.size() > NAMED ? ", ..." : "";
        return new Finding(
                first.severity(),
                first.kind(),
                "",
                "%d mirrors (%s%s): %s".formatted(same.size(), names, more, first.text()),
                first.action());
    }

    private void add(Severity severity, Kind kind, String mirror, String text) {
        all.add(new Finding(severity, kind, mirror, text));
    }

    private void add(MirrorDiagnosis mirror) {
        addState(mirror.name(), mirror.state());
        mirror.access().forEach((verb, access) -> addAccess(mirror.name(), verb, access));
        addWatchers(mirror);
        long differences =
                mirror.counts().getOrDefault("upstream.audits.different", 0L)
                        + mirror.counts().getOrDefault("upstream.audits.ahead", 0L);
        if (differences > 0) {
            String text =
                    " comparisons with the server found a difference; the mirror was synchronized"
                            + " again";
            add(Severity.NOTE, Kind.DIFFERENCE, mirror.name(), differences + text);
        }
    }

    private void addState(String name, MirrorState state) {
        String why = state.problem() == null ? "" : ": " + state.problem();
        if (!state.synced()) {
            String text = "no complete state yet" + why;
            add(Severity.ERROR, Kind.NOT_SYNCHRONIZED, name, text);
        } else if (!state.phase().equals("watching") && state.problem() != null) {
            Severity severity = isDown(name, state) ? Severity.ERROR : Severity.WARNING;
            add(severity, Kind.CUT_OFF, name, state.phase() + why);
        }
    }

    private boolean isDown(String name, MirrorState state) {
        return !state.synced() || lost.contains(name);
    }

    private void addAccess(String name, String verb, AccessStatus access) {
        if (Boolean.FALSE.equals(access.allowed())) {
            // A mirror requires list and watch; get is needed only for proxied reads.
            Severity severity = verb.equals("get") ? Severity.WARNING : Severity.ERROR;
            add(severity, Kind.DENIED, name, "kubemirror's user " + access.reason());
        }
    }

    private void addWatchers(MirrorDiagnosis mirror) {
        long changes = mirror.window().changes();
        mirror.watchers().shown().stream()
                .filter(watcher -> watcher.behind() > Math.max((long) (LATE * changes), FEW))
                .findFirst()
                .map(
                        slow ->
                                "the client at %s is %d of %d changes behind; its watch ends with 410 when the history no longer has these changes"
                                        .formatted(slow.client(), slow.behind(), changes))
                .ifPresent(text -> add(Severity.WARNING, Kind.WATCHER, mirror.name(), text));
    }
}
