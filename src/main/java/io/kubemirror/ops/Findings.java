package io.kubemirror.ops;

import com.fasterxml.jackson.annotation.JsonValue;

import io.kubemirror.model.Names;
import io.kubemirror.ops.Findings.Finding.Kind;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** What a diagnosis comes to: what is wrong, and what can be done about it. */
final class Findings {

    /** Of the heap, after garbage was collected. */
    private static final double FULL = 0.85;

    /** A client with no more changes before it is not late, however small the window is. */
    private static final long FEW = 50;

    /** A client that is so much of the window behind is about to be overtaken. */
    private static final double LATE = 0.5;

    private Findings() {}

    /** All findings, the worst first. */
    static List<Finding> of(
            Diagnosis.UpstreamDiagnosis upstream,
            Diagnosis.Memory memory,
            List<MirrorDiagnosis> mirrors) {
        List<Finding> all = new ArrayList<>();
        if (upstream.problem() != null) {
            all.add(Finding.error(Kind.UNREACHABLE, "", upstream.problem()));
        }
        if (memory.heapKeptBytes() > FULL * memory.heapMaxBytes()) {
            all.add(Finding.warning(Kind.MEMORY, "", full(memory)));
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
                    Finding.note(
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
                    Finding.error(
                            Kind.NOT_SYNCHRONISED, name, "has nothing to answer with yet" + why));
        } else if (!follows && state.problem() != null) {
            all.add(Finding.warning(Kind.CUT_OFF, name, state.phase() + why));
        }
    }

    private static void addAccess(
            String name, String verb, MirrorDiagnosis.AccessStatus access, List<Finding> all) {
        if (Boolean.FALSE.equals(access.allowed())) {
            String text = "kubemirror's user " + access.reason();
            // Without lists and watches there is no mirror; gets are for reads by the server.
            all.add(
                    verb.equals("get")
                            ? Finding.warning(Kind.DENIED, name, text)
                            : Finding.error(Kind.DENIED, name, text));
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
                                        Finding.warning(
                                                Kind.WATCHER, name, slow(watcher, mirror))));
    }

    private static String slow(MirrorDiagnosis.WatcherStatus watcher, MirrorDiagnosis mirror) {
        return "the client at %s is %d of %d changes behind; it is told to list again (410) once it is overtaken"
                .formatted(watcher.client(), watcher.behind(), mirror.window().changes());
    }

    /**
     * Something that an operator ought to know, in one line.
     *
     * @param severity how much it matters
     * @param kind what it is about
     * @param mirror the mirror that it concerns, empty for the process
     * @param text the line
     */
    record Finding(Severity severity, Kind kind, String mirror, String text) {

        /** How much a finding matters; the worst comes first. */
        enum Severity {
            /** Clients get no answers, or old ones. */
            ERROR,
            /** Something is wrong, though clients need not have noticed. */
            WARNING,
            /** Nothing is wrong, or not any more. */
            NOTE;

            /** The name in the document. */
            @JsonValue
            String text() {
                return Names.kebab(this);
            }
        }

        /** What can be found, and the exit code of {@code diagnose} for it. */
        enum Kind {
            /** A mirror has nothing to answer with yet. */
            NOT_SYNCHRONISED,
            /** The API server gives no answer. */
            UNREACHABLE,
            /** A permission is missing. */
            DENIED,
            /** A mirror does not follow the server at present. */
            CUT_OFF,
            /** A client does not take what it asked for. */
            WATCHER,
            /** Memory runs short. */
            MEMORY,
            /** A mirror was not what the server was, and was healed. */
            DIFFERENCE;

            /** The name in the document. */
            @JsonValue
            String text() {
                return Names.kebab(this);
            }
        }

        static Finding error(Kind kind, String mirror, String text) {
            return new Finding(Severity.ERROR, kind, mirror, text);
        }

        static Finding warning(Kind kind, String mirror, String text) {
            return new Finding(Severity.WARNING, kind, mirror, text);
        }

        static Finding note(Kind kind, String mirror, String text) {
            return new Finding(Severity.NOTE, kind, mirror, text);
        }
    }
}
