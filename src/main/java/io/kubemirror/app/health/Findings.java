package io.kubemirror.app.health;

import static java.util.Comparator.comparing;
import static java.util.stream.Collectors.joining;

import module java.base;

import com.sun.management.UnixOperatingSystemMXBean;

import io.kubemirror.app.health.Diagnosis.MemoryUse;
import io.kubemirror.app.health.Finding.Kind;
import io.kubemirror.app.health.Finding.Severity;
import io.kubemirror.app.health.MirrorDiagnosis.MirrorState;

import java.lang.management.ManagementFactory;

/** Derives from the state of the process what is wrong, and how severe it is. */
final class Findings {

    /** Fraction of the heap in use after garbage collection. */
    private static final double FULL = 0.85;

    /** Fraction of the file descriptors in use, as in the alert. */
    private static final double NEARLY_ALL = 0.9;

    /**
     * A client with no more pending changes than this is never reported as slow, however small the
     * history is.
     */
    private static final long FEW = 50;

    /** A client that is behind by this fraction of the history will soon lose its position. */
    private static final double LATE = 0.5;

    /** The number of mirrors that a finding about several names. */
    private static final int NAMED = 5;

    private Findings() {}

    /**
     * Returns all findings, the most severe first.
     *
     * @param further those of features
     */
    static List<Finding> of(
            List<MirrorDiagnosis> mirrors, MemoryUse memory, List<Finding> further) {
        List<Finding> all = new ArrayList<>(further);
        if (memory.heapKeptBytes() > FULL * memory.heapMaxBytes()) {
            String text =
                    "%d of %d MB of the heap are in use after garbage collection"
                            .formatted(memory.heapKeptBytes() >> 20, memory.heapMaxBytes() >> 20);
            all.addAll(Finding.warning(Kind.MEMORY, text));
        }
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean own) {
            all.addAll(
                    descriptors(own::getOpenFileDescriptorCount, own.getMaxFileDescriptorCount()));
        }
        // What findings about several mirrors have in common if they have one cause.
        Map<Finding, List<MirrorDiagnosis>> causes = new LinkedHashMap<>();
        for (MirrorDiagnosis mirror : mirrors) {
            Stream.of(state(mirror), watchers(mirror), differences(mirror))
                    .flatMap(Optional::stream)
                    .forEach(
                            cause ->
                                    causes.computeIfAbsent(cause, _ -> new ArrayList<>())
                                            .add(mirror));
        }
        causes.forEach((cause, affected) -> all.add(joined(cause, affected)));
        all.sort(comparing(Finding::severity).thenComparing(Finding::kind));
        return List.copyOf(all);
    }

    /**
     * Only the log of Jetty says that a connection cannot be accepted.
     *
     * @param open counts those in use, for which the JVM needs one itself
     */
    static List<Finding> descriptors(LongSupplier open, long max) {
        long used;
        try {
            used = open.getAsLong();
        } catch (InternalError _) {
            used = max;
        }
        String text = "%d of %d file descriptors are in use".formatted(used, max);
        return Finding.warning(Kind.DESCRIPTORS, (double) used / max > NEARLY_ALL ? text : "");
    }

    private static Optional<Finding> state(MirrorDiagnosis mirror) {
        MirrorState state = mirror.state();
        String problem = state.problem();
        if (!state.synced()) {
            String why = problem == null ? "" : ": " + problem;
            return of(Severity.ERROR, Kind.NOT_SYNCHRONIZED, "no complete state yet" + why);
        }
        if (state.lost()) {
            String silence = problem == null ? "the API server does not answer" : problem;
            return of(Severity.ERROR, Kind.CUT_OFF, silence);
        }
        if (problem == null || state.phase().equals("watching")) {
            return Optional.empty();
        }
        Kind kind = state.phase().equals("absent") ? Kind.ABSENT : Kind.CUT_OFF;
        return of(Severity.WARNING, kind, problem);
    }

    private static Optional<Finding> watchers(MirrorDiagnosis mirror) {
        long changes = mirror.window().changes();
        long behind = mirror.watchers().mostBehind();
        String text =
                "a client is %d of %d changes behind; its watch ends with 410 when the history no longer has these changes"
                        .formatted(behind, changes);
        return behind > Math.max((long) (LATE * changes), FEW)
                ? of(Severity.WARNING, Kind.WATCHER, text)
                : Optional.empty();
    }

    private static Optional<Finding> differences(MirrorDiagnosis mirror) {
        long differences = mirror.counts().getOrDefault("upstream.audits.different", 0L);
        String text =
                " comparisons with the server found a difference; the mirror was synchronized"
                        + " again";
        return differences > 0
                ? of(Severity.NOTE, Kind.DIFFERENCE, differences + text)
                : Optional.empty();
    }

    private static Optional<Finding> of(Severity severity, Kind kind, String text) {
        return Optional.of(new Finding(severity, kind, "", text));
    }

    /** Names the mirrors, and says when a problem of the first of them began. */
    private static Finding joined(Finding cause, List<MirrorDiagnosis> affected) {
        String text =
                affected.stream()
                        .filter(mirror -> mirror.state().problem() != null)
                        .filter(_ -> cause.kind().compareTo(Kind.ABSENT) <= 0)
                        .map(MirrorDiagnosis::since)
                        .min(Comparator.naturalOrder())
                        .map(since -> " (since " + since.truncatedTo(ChronoUnit.SECONDS) + ")")
                        .map(cause.text()::concat)
                        .orElse(cause.text());
        if (affected.size() == 1) {
            String mirror = affected.getFirst().name();
            return new Finding(cause.severity(), cause.kind(), mirror, text);
        }
        String names =
                affected.stream()
                        .limit(NAMED)
                        .map(MirrorDiagnosis::title)
                        .collect(joining(", ", "", affected.size() > NAMED ? ", ..." : ""));
        return new Finding(
                cause.severity(),
                cause.kind(),
                "",
                "%d mirrors (%s): %s".formatted(affected.size(), names, text));
    }
}
