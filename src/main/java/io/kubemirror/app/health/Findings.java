package io.kubemirror.app.health;

import static java.util.Comparator.comparing;
import static java.util.Comparator.naturalOrder;
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

    /** The kinds of findings about the state of a mirror, which began at some time. */
    private static final Set<Kind> OF_STATE =
            EnumSet.of(Kind.NOT_SYNCHRONIZED, Kind.UNREACHABLE, Kind.CREDENTIALS, Kind.CUT_OFF);

    private final List<Finding> all = new ArrayList<>();

    private final Map<String, MirrorDiagnosis> mirrors;
    private final Set<String> lost;
    private final UpstreamDiagnosis upstream;

    /**
     * Creates the findings.
     *
     * @param lost the mirrors for which the health is down
     */
    Findings(List<MirrorDiagnosis> mirrors, Set<String> lost, UpstreamDiagnosis upstream) {
        this.mirrors = new LinkedHashMap<>();
        mirrors.forEach(one -> this.mirrors.put(one.name(), one));
        this.lost = lost;
        this.upstream = upstream;
    }

    /** Returns all findings, the most severe first. Errors are what the health says, too. */
    List<Finding> all(MemoryUse memory, List<Finding> further) {
        all.addAll(further);
        List<MirrorState> states = mirrors.values().stream().map(MirrorDiagnosis::state).toList();
        if (upstream.problem() != null && states.stream().noneMatch(this::isOfUpstream)) {
            boolean down = mirrors.values().stream().anyMatch(this::isDown);
            Severity severity = down ? Severity.ERROR : Severity.WARNING;
            add(severity, upstream.kind(), "", upstream.problem());
        }
        if (memory.heapKeptBytes() > FULL * memory.heapMaxBytes()) {
            String text =
                    "%d of %d MB of the heap are in use after garbage collection"
                            .formatted(memory.heapKeptBytes() >> 20, memory.heapMaxBytes() >> 20);
            add(Severity.WARNING, Kind.MEMORY, "", text);
        }
        mirrors.values().forEach(this::add);
        return all.stream()
                .collect(groupingBy(Findings::cause, LinkedHashMap::new, toList()))
                .values()
                .stream()
                .map(this::joined)
                .sorted(comparing(Finding::severity).thenComparing(Finding::kind))
                .toList();
    }

    /** What findings about several mirrors have in common if they have one cause. */
    private static Finding cause(Finding one) {
        return new Finding(one.severity(), one.kind(), "", one.text(), one.action());
    }

    private Finding joined(List<Finding> same) {
        Finding first = same.getFirst();
        String text = first.text() + since(same);
        if (same.size() > 1) {
            String names = same.stream().limit(NAMED).map(this::title).collect(joining(", "));
            String more = same.size() > NAMED ? ", ..." : "";
            text = "%d mirrors (%s%s): %s".formatted(same.size(), names, more, text);
        }
        String mirror = same.size() > 1 ? "" : first.mirror();
        return new Finding(first.severity(), first.kind(), mirror, text, first.action());
    }

    private String title(Finding one) {
        MirrorDiagnosis mirror = mirrors.get(one.mirror());
        return mirror == null ? one.mirror() : mirror.title();
    }

    /** Returns when the problem of the first of several mirrors began, empty for none. */
    private String since(List<Finding> same) {
        return same.stream()
                .filter(one -> OF_STATE.contains(one.kind()))
                .map(one -> mirrors.get(one.mirror()))
                .filter(mirror -> mirror != null && mirror.state().problem() != null)
                .map(MirrorDiagnosis::since)
                .min(naturalOrder())
                .map(since -> " (since " + since.truncatedTo(ChronoUnit.SECONDS) + ")")
                .orElse("");
    }

    private void add(Severity severity, Kind kind, String mirror, String text) {
        all.add(new Finding(severity, kind, mirror, text));
    }

    private void add(MirrorDiagnosis mirror) {
        addState(mirror);
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

    private void addState(MirrorDiagnosis mirror) {
        MirrorState state = mirror.state();
        String problem = state.problem();
        if (!state.synced()) {
            Kind kind = isOfUpstream(state) ? upstream.kind() : Kind.NOT_SYNCHRONIZED;
            String why = problem == null ? "" : ": " + problem;
            add(Severity.ERROR, kind, mirror.name(), "no complete state yet" + why);
        } else if (!state.phase().equals("watching") && problem != null) {
            Kind kind = isOfUpstream(state) ? upstream.kind() : Kind.CUT_OFF;
            add(isDown(mirror) ? Severity.ERROR : Severity.WARNING, kind, mirror.name(), problem);
        }
    }

    /** Returns whether a mirror has the problem that the probe of the API server has. */
    private boolean isOfUpstream(MirrorState state) {
        return upstream.problem() != null
                && !state.phase().equals("watching")
                && state.problem() != null
                && state.problem().startsWith(upstream.problem());
    }

    private boolean isDown(MirrorDiagnosis mirror) {
        return !mirror.state().synced() || lost.contains(mirror.name());
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
