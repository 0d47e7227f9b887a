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
 * Tells readers and the log what the reflector is doing: one line for a transition, none for its
 * repetition.
 *
 * <p>Used by one thread; what happened last can be told to any.
 */
final class StatusReporter {

    private final MirrorWriter writer;
    private final InstantSource clock;
    private final ReflectorLog log;

    /** Both are immutable and independent of each other. */
    private volatile @Nullable Synchronization synchronization;

    private volatile @Nullable Trouble trouble;

    /** A request of one of these kinds, if it is accepted, shows that the problem is over. */
    private Set<Verb> denied = Set.of();

    /** Whether lists are the only way to learn of changes, so that they are no transitions. */
    private boolean polling;

    private SyncProgress progress;

    StatusReporter(MirrorWriter writer, InstantSource clock) {
        this.writer = writer;
        this.clock = clock;
        this.log = new ReflectorLog(writer.mirror());
        this.progress = new SyncProgress(Instant.EPOCH);
    }

    /** Nothing is known yet. */
    void started() {
        writer.report(UpstreamStatus.starting(clock.instant()));
    }

    /** The server has been heard of. */
    void contacted() {
        writer.contacted(clock.instant());
    }

    /** Discovery was answered. */
    void resolved() {
        contacted();
        if (!denied.isEmpty()) {
            permitted();
        }
    }

    /** A list or a watch was accepted. */
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
     * What was just told was that the credentials or their rights do not suffice, which is over as
     * soon as a request of one of these kinds is accepted, long before changes arrive again.
     */
    void denied(Set<Verb> verbs) {
        denied = Set.copyOf(verbs);
    }

    /** A phase begins; a problem stays known until it is over. */
    void enter(Phase phase) {
        UpstreamStatus now = writer.mirror().upstream();
        if (now.phase() != phase) {
            writer.report(new UpstreamStatus(phase, clock.instant(), now.contact(), now.problem()));
        }
    }

    /** The first object of a state is about to come. */
    void fetching() {
        progress = new SyncProgress(clock.instant());
    }

    /** Another object has come; from time to time that is told, for people who wait. */
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

    /** How many objects are still to come, null if the server does not say. */
    void expecting(@Nullable Long more) {
        if (more != null) {
            progress.expect(more);
        }
    }

    /** What to say of a collection that does not fit, as far as is known of it. */
    String tooLarge(OverBudgetException tooLarge) {
        return OverBudgetMessage.problem(tooLarge, progress.remaining());
    }

    /** The present state is complete. */
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
            case SYNC_LAG -> throw new IllegalArgumentException("no way to synchronise");
        };
    }

    /** Local watchers could not be spared a resynchronisation. */
    void broken() {
        log.line(Level.WARN, "broken")
                .log(
                        "{}: the history begins anew, local watches end and clients list again",
                        scope());
    }

    /** Changes arrive again; whatever was wrong is over. */
    void watching() {
        boolean regained = !writer.mirror().upstream().problem().isEmpty();
        Instant now = clock.instant();
        writer.report(new UpstreamStatus(Phase.WATCHING, now, now, ""));
        denied = Set.of();
        polling = false;
        log.line(regained ? Level.INFO : Level.DEBUG, "watching")
                .log("{}: watching{}", scope(), regained ? " again" : "");
    }

    /** Something ended or failed and will be tried again. */
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

    /** The last complete synchronisation. */
    Optional<Synchronization> synchronization() {
        return Optional.ofNullable(synchronization);
    }

    /** The last failure, also if it is over. */
    Optional<Trouble> trouble() {
        return Optional.ofNullable(trouble);
    }

    /** Something happened that cannot happen; the trace names no object. */
    void defect(RuntimeException defect) {
        log.line(Level.ERROR, "defect").setCause(defect).log("{}: internal error", scope());
    }

    /** A frame was passed over. */
    void skipped(String reason) {
        log.line(Level.DEBUG, "skipped").log("{}: passed over {}", scope(), reason);
    }

    /**
     * A watch-list paused for too long before its initial events were complete
     * (list-watch.md#up-28).
     */
    void silent() {
        log.line(Level.WARN, "silent")
                .log(
                        "{}: the stream of the present state fell silent before its end, for longer"
                                + " than kubemirror.upstream.initial-silence; listing instead",
                        scope());
    }

    /** The reflector's thread did not end in time. */
    void abandoned(Duration patience) {
        log.line(Level.WARN, "abandoned")
                .log(
                        "{}: still busy {} ms after it was told to stop, left behind",
                        scope(),
                        patience.toMillis());
    }

    /** The reflector has been closed. */
    void stopped() {
        UpstreamStatus now = writer.mirror().upstream();
        writer.report(
                new UpstreamStatus(Phase.STOPPED, clock.instant(), now.contact(), now.problem()));
    }

    private Scope scope() {
        return writer.mirror().scope();
    }
}
