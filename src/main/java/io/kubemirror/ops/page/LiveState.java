package io.kubemirror.ops.page;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Backlog;
import io.kubemirror.mirror.WatcherDirectory;
import io.kubemirror.mirror.WatcherDirectory.WatcherInfo;
import io.kubemirror.ops.Diagnosis;
import io.kubemirror.ops.Diagnosis.ProgramDiagnosis;
import io.kubemirror.ops.DiagnosisInput;
import io.kubemirror.ops.MirrorDiagnosis.ContentStatus;
import io.kubemirror.ops.MirrorDiagnosis.HistoryStatus;
import io.kubemirror.ops.MirrorDiagnosis.MirrorState;

import java.time.Instant;
import java.util.List;

/**
 * A sample of the current state for the status page, taken without requests to the API server. The
 * page computes rates from the difference of two samples.
 *
 * @param at when it was taken
 * @param program this process
 * @param upstream the API server
 * @param configuration why the configuration files are not in force, empty if they are
 * @param memory what memory is used for
 * @param mirrors the mirrors in the order of the configuration
 */
record LiveState(
        Instant at,
        ProgramDiagnosis program,
        String upstream,
        String configuration,
        Diagnosis.Memory memory,
        List<Row> mirrors) {

    /**
     * The state of a mirror.
     *
     * @param name its unique name
     * @param resource the resource as configured
     * @param namespace the namespace, empty for all
     * @param selector the selectors, empty for everything
     * @param state the state of the reflector
     * @param content what the mirror holds
     * @param window the history
     * @param received the number of changes that the server has sent
     * @param watchers the number of open watches
     * @param behind the number of pending changes of the slowest of them
     */
    record Row(
            String name,
            String resource,
            String namespace,
            String selector,
            MirrorState state,
            ContentStatus content,
            HistoryStatus window,
            long received,
            int watchers,
            long behind) {}

    /** Takes a sample. */
    static LiveState of(DiagnosisInput observed) {
        Instant now = observed.clock().instant();
        return new LiveState(
                now,
                ProgramDiagnosis.of(observed.setup(), now),
                observed.setup().upstream(),
                observed.setup().configuration().last().problem(),
                Diagnosis.Memory.of(observed),
                observed.mirrors().stream()
                        .map(mirrored -> row(mirrored, observed.watchers(), now))
                        .toList());
    }

    private static Row row(
            DiagnosisInput.Mirrored mirrored, WatcherDirectory followers, Instant now) {
        Mirror mirror = mirrored.mirror();
        List<WatcherInfo> watching = followers.of(mirror);
        return new Row(
                mirror.scope().toString(),
                mirror.scope().resource().text(),
                mirror.scope().namespace(),
                mirror.scope().selectors(),
                MirrorState.of(mirrored, now),
                ContentStatus.of(mirror),
                HistoryStatus.of(mirror),
                mirrored.received(),
                watching.size(),
                watching.stream()
                        .map(WatcherInfo::backlog)
                        .mapToLong(Backlog::changes)
                        .max()
                        .orElse(0));
    }
}
