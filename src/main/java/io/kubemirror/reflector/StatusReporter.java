package io.kubemirror.reflector;

import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.OverBudgetException;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Scope;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorStatus.Synchronization;
import io.kubemirror.reflector.ReflectorStatus.Trouble;

import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;

/**
 * Reports to readers and the log what the reflector is doing: one line for a transition, none for
 * its repetition.
 *
 * <p>Used by one thread; any thread may read the last synchronization and failure.
 */
final class StatusReporter {

    private final MirrorWriter writer;
    private final InstantSource clock;
    private final ReflectorLog log;

    /** Both are immutable and independent of each other. */
    private volatile @Nullable Synchronization synchronization;

    private volatile @Nullable Trouble trouble;

    /** The kinds of requests that show, once one is accepted, that the problem is over. */
    private Set<Verb> denied = Set.of();

    /** Whether changes are found only by lists, which are then no transitions. */
    private boolean polling;

    private SyncProgress progress;

    StatusReporter(MirrorWriter writer, InstantSource clock) {
        this.writer = writer;
        this.clock = clock;
        this.log = new ReflectorLog(writer.mirror());
        this.progress = new SyncProgress(Instant.EPOCH);
    }

    /** Reports the initial status. */
    void started() {
        writer.report(UpstreamStatus.starting(clock.instant()));
    }

    /** Records that the server has answered or sent something. */
    void contacted() {
        writer.contacted(clock.instant());
    }

    /** Records that discovery was answered. */
    void resolved() {
        contacted();
        if (!denied.isEmpty()) {
            permitted();
        }
    }

    /** Records that a list or a watch was accepted. */
    void accepted(Verb verb) {
        contacted();
        if (denied.contains(verb)) {
            permitted();
        }
    }

    private void permitted() {
        UpstreamStatus now = writer.mirror().upstream();
        writer.report(new UpstreamStatus(now.phase(), now.since(), now.contact(), ""));
        denied = Set.of();
        log.line(Level.INFO, "permitted").log("{}: permitted again", scope());
    }

    /**
     * Marks the reported problem as insufficient credentials or permissions. It is over as soon as
     * a request of one of these kinds is accepted, long before changes arrive again.
     */
    void denied(Set<Verb> verbs) {
        denied = Set.copyOf(verbs);
    }

    /** Reports the start of a phase; a problem stays reported until it is over. */
    void enter(Phase phase) {
        UpstreamStatus now = writer.mirror().upstream();
        if (now.phase() != phase) {
            writer.report(new UpstreamStatus(phase, clock.instant(), now.contact(), now.problem()));
        }
    }

    /** Reports that objects are about to arrive. */
    void fetching() {
        progress = new SyncProgress(clock.instant());
    }

    /** Counts an object that has arrived, and logs the progress from time to time. */
    void fetched(KubeObject object) {
        progress.add(object);
        if (progress.isDue(clock.instant())) {
            log.line(Level.INFO, "progress")
                    .addKeyValue("kubemirror.objects", progress.objects())
                    .addKeyValue("kubemirror.bytes", progress.bytes())
                    .addKeyValue("kubemirror.rate", progress.rate())
                    .addKeyValue("kubemirror.remaining", progress.remaining())
                    .log("{}: {}", scope(), progress);
        }
    }

    /** Sets the number of objects still to come, null if the server does not report it. */
    void expecting(@Nullable Long more) {
        if (more != null) {
            progress.expect(more);
        }
    }

    /** Returns the message about a collection that does not fit. */
    String tooLarge(OverBudgetException tooLarge) {
        return OverBudgetMessage.problem(tooLarge, progress.remaining());
    }

    /** Reports that the present state is complete. */
    void synced(TimedSpan how, Duration took) {
        synchronization = new Synchronization(text(how), clock.instant(), took);
        Snapshot state = writer.mirror().snapshot().orElseThrow();
        log.line(polling ? Level.DEBUG : Level.INFO, "synchronised")
                .addKeyValue("event.duration", took.toNanos())
                .addKeyValue("kubemirror.objects", state.size())
                .log(
                        "{}: synchronised by {} in {} ms: {}",
                        scope(),
                        text(how),
                        took.toMillis(),
                        state);
    }

    private static String text(TimedSpan how) {
        return switch (how) {
            case WATCH_LIST -> "watch-list";
            case LIST -> "list";
            case LIST_WITH_WATCH -> "list with its watch";
            case SYNC_LAG -> throw new IllegalArgumentException("not a synchronization");
        };
    }

    /** Reports that a resynchronization ended local watches. */
    void broken() {
        log.line(Level.WARN, "broken")
                .log(
                        "{}: the history begins anew, local watches end and clients list again",
                        scope());
    }

    /** Reports that changes arrive again; the last problem is over. */
    void watching() {
        boolean regained = !writer.mirror().upstream().problem().isEmpty();
        Instant now = clock.instant();
        writer.report(new UpstreamStatus(Phase.WATCHING, now, now, ""));
        denied = Set.of();
        polling = false;
        log.line(regained ? Level.INFO : Level.DEBUG, "watching")
                .log("{}: watching{}", scope(), regained ? " again" : "");
    }

    /** Reports that something ended or failed and will be retried. */
    void backingOff(Phase phase, String problem, Duration delay) {
        trouble = new Trouble(problem, clock.instant());
        UpstreamStatus before = writer.mirror().upstream();
        boolean known = before.problem().equals(problem);
        writer.report(new UpstreamStatus(phase, clock.instant(), before.contact(), problem));
        denied = Set.of();
        polling = phase == Phase.POLLING;
        log.line(known ? Level.DEBUG : Level.WARN, "retrying")
                .addKeyValue("kubemirror.problem", problem)
                .addKeyValue("kubemirror.delay", delay.toMillis())
                .log("{}: {}; next attempt in {} ms", scope(), problem, delay.toMillis());
    }

    /** Returns the last complete synchronization. */
    Optional<Synchronization> synchronization() {
        return Optional.ofNullable(synchronization);
    }

    /** Returns the last failure, even if it is over. */
    Optional<Trouble> trouble() {
        return Optional.ofNullable(trouble);
    }

    /** Reports a defect of kubemirror; the stack trace names no object. */
    void defect(RuntimeException defect) {
        log.line(Level.ERROR, "defect").setCause(defect).log("{}: internal error", scope());
    }

    /** Logs that a frame was skipped. */
    void skipped(String reason) {
        log.line(Level.DEBUG, "skipped").log("{}: passed over {}", scope(), reason);
    }

    /**
     * Logs that a watch-list paused for too long before its initial events were complete
     * (list-watch.md#up-28).
     */
    void silent() {
        log.line(Level.WARN, "silent")
                .log(
                        "{}: the stream of the present state fell silent before its end, for longer"
                                + " than kubemirror.upstream.initial-silence; listing instead",
                        scope());
    }

    /** Logs that the reflector's thread did not end in time. */
    void abandoned(Duration patience) {
        log.line(Level.WARN, "abandoned")
                .log(
                        "{}: still busy {} ms after the request to stop, abandoned",
                        scope(),
                        patience.toMillis());
    }

    /** Reports that the reflector has been closed. */
    void stopped() {
        UpstreamStatus now = writer.mirror().upstream();
        writer.report(
                new UpstreamStatus(Phase.STOPPED, clock.instant(), now.contact(), now.problem()));
    }

    private Scope scope() {
        return writer.mirror().scope();
    }
}
