package io.kubemirror.feature.diagnose;

import io.kubemirror.app.ConfigurationReport.Difference;
import io.kubemirror.feature.diagnose.Diagnosis.Finding;
import io.kubemirror.feature.diagnose.Diagnosis.Finding.Kind;
import io.kubemirror.feature.diagnose.Diagnosis.Finding.Severity;
import io.kubemirror.feature.diagnose.MirrorDiagnosis.AccessStatus;
import io.kubemirror.feature.diagnose.MirrorDiagnosis.MirrorState;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Derives the findings of a diagnosis: problems and how to solve them. */
public final class Findings {

    /** Fraction of the heap in use after garbage collection. */
    private static final double FULL = 0.85;

    /**
     * A client with no more pending changes than this is never reported as slow, however small the
     * history is.
     */
    private static final long FEW = 50;

    /** A client that is behind by this fraction of the history will soon lose its position. */
    private static final double LATE = 0.5;

    private final List<Finding> all = new ArrayList<>();

    private Findings() {}

    /** All findings, the most severe first. */
    static List<Finding> of(
            Diagnosis.UpstreamDiagnosis upstream,
            Diagnosis.Memory memory,
            List<MirrorDiagnosis> mirrors,
            Difference configuration) {
        Findings findings = new Findings();
        findings.add(configuration);
        if (upstream.problem() != null) {
            findings.add(Severity.ERROR, Kind.UNREACHABLE, "", upstream.problem());
        }
        if (memory.heapKeptBytes() > FULL * memory.heapMaxBytes()) {
            String text =
                    "%d of %d MB of the heap are in use after garbage collection"
                            .formatted(memory.heapKeptBytes() >> 20, memory.heapMaxBytes() >> 20);
            findings.add(Severity.WARNING, Kind.MEMORY, "", text);
        }
        mirrors.forEach(findings::add);
        findings.all.sort(Comparator.comparing(Finding::severity).thenComparing(Finding::kind));
        return findings.all;
    }

    /**
     * The findings that need no request to the API server, the most severe first: all but those
     * about its permissions and its availability. A mirror that it refuses or does not answer has a
     * finding of its own.
     */
    public static List<Finding> withoutRequests(
            DiagnosisInput input, Diagnosis.Memory memory, List<MirrorDiagnosis> mirrors) {
        Diagnosis.UpstreamDiagnosis unasked =
                new Diagnosis.UpstreamDiagnosis(input.process().upstream(), null, null, null, null);
        return of(unasked, memory, mirrors, input.configuration().difference());
    }

    private void add(Severity severity, Kind kind, String mirror, String text) {
        all.add(new Finding(severity, kind, mirror, text));
    }

    private void add(Difference configuration) {
        if (!configuration.problem().isEmpty()) {
            String text = "the configuration files are not in force: " + configuration.problem();
            add(Severity.WARNING, Kind.CONFIGURATION, "", text);
        }
        if (!configuration.restart().isEmpty()) {
            String text = "needs a restart to take effect: ";
            all.add(
                    new Finding(
                            Severity.NOTE,
                            Kind.CONFIGURATION,
                            "",
                            text + String.join(", ", configuration.restart()),
                            "Restart kubemirror when it suits you."));
        }
    }

    private void add(MirrorDiagnosis mirror) {
        String name = mirror.name();
        addState(name, mirror.state());
        mirror.access().forEach((verb, access) -> addAccess(name, verb, access));
        addWatchers(mirror);
        long differences = count(mirror.counts(), "different") + count(mirror.counts(), "ahead");
        if (differences > 0) {
            String text =
                    " comparisons with the server found a difference; the mirror was synchronized"
                            + " again";
            add(Severity.NOTE, Kind.DIFFERENCE, name, differences + text);
        }
    }

    private static long count(Map<String, Long> counts, String outcome) {
        return counts.getOrDefault("upstream.audits." + outcome, 0L);
    }

    private void addState(String name, MirrorState state) {
        String why = state.problem() == null ? "" : ": " + state.problem();
        if (!state.synced()) {
            String text = "has no complete state yet" + why;
            add(Severity.ERROR, Kind.NOT_SYNCHRONIZED, name, text);
        } else if (!state.phase().equals("watching") && state.problem() != null) {
            add(Severity.WARNING, Kind.CUT_OFF, name, state.phase() + why);
        }
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
