package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Names;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.SyncLag;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorStatus.StateChange;
import io.kubemirror.reflector.ReflectorStatus.Synchronization;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Reports what the reflector is doing to readers, the counters, and the log: one line for a
 * transition, none for its repetition.
 *
 * <p>Each line has the fields {@code event.action}, from the Elastic Common Schema, and {@code
 * kubemirror.resource}, which appear if the log is structured. No line names an object or contains
 * a part of it.
 *
 * <p>Used by one thread; any thread may log, and read the last synchronization and state changes.
 */
final class StatusReporter {

    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);

    private final MirrorWriter writer;
    private final Mirror mirror;
    private final ReflectorEnvironment environment;
    private final ReflectorCounts counts;

    /** Both are immutable and independent of each other. */
    private volatile @Nullable Synchronization synchronization;

    private volatile List<StateChange> stateChanges = List.of();

    private final SyncLag lag;
    private Instant began = Instant.EPOCH;

    StatusReporter(MirrorWriter writer, ReflectorEnvironment environment, ReflectorCounts counts) {
        this.writer = writer;
        this.mirror = writer.mirror();
        this.environment = environment;
        this.counts = counts;
        this.lag = new SyncLag(counts);
    }

    /**
     * Logs a line about the mirror. For any thread.
     *
     * @param action the event, in one word
     */
    void log(Level level, String action, String text) {
        LOG.atLevel(level)
                .addKeyValue("event.action", action)
                .addKeyValue("kubemirror.resource", mirror.scope().toString())
                .log("{}: {}", mirror.scope(), text);
    }

    Instant now() {
        return environment.clock().instant();
    }

    /** Returns the time on the clock that the lag of changes is measured by. */
    Instant systemTime() {
        return environment.clock().system().instant();
    }

    /** Reports the initial status. */
    void started() {
        report(Phase.RESOLVING, "");
    }

    /** Records that the server shows what is about to be applied. */
    void showing() {
        writer.contacted(now());
    }

    /** Records that the server has shown that what readers see is current. */
    void contacted() {
        writer.report(mirror.upstream().contacted(now()));
    }

    /** Records that the server has sent something that readers do not see, or a refusal. */
    void answered() {
        writer.report(mirror.upstream().answered(now()));
    }

    /** Reports the start of a phase; a problem stays reported until it is over. */
    void enter(Phase phase) {
        UpstreamStatus now = mirror.upstream();
        if (now.phase() != phase) {
            report(phase, now.problem());
        }
    }

    /** Reports that objects are about to arrive. */
    void fetching() {
        began = now();
    }

    /** Returns when {@link #fetching} was reported. */
    Instant began() {
        return began;
    }

    /** Reports that the present state is complete. */
    void synced(TimedSpan how) {
        Duration took = Duration.between(began, now());
        counts.time(how, took);
        lag.synced(systemTime());
        Level level = synchronization == null ? Level.INFO : Level.DEBUG;
        synchronization = new Synchronization(Names.kebab(how), now(), took.toMillis() / 1000.0);
        log(
                level,
                "synchronized",
                "synchronized by %s in %d ms: %s"
                        .formatted(
                                Names.kebab(how),
                                took.toMillis(),
                                mirror.snapshot().orElseThrow()));
    }

    /** Reports that a resynchronization ended local watches. */
    void broken() {
        counts.count(Counter.RESYNCS_BROKEN);
        log(
                Level.WARN,
                "broken",
                "the history restarts; all watches end and clients must list again");
    }

    /** Reports that changes arrive again; the last problem is over. */
    void watching() {
        contacted();
        boolean isNews = report(Phase.WATCHING, "");
        log(isNews ? Level.INFO : Level.DEBUG, "watching", "watching again");
    }

    /** Reports that the server does not have the type any more, which is no problem. */
    void gone() {
        report(Phase.ABSENT, "");
        log(Level.INFO, "gone", "the server does not have this resource any more");
    }

    /** Reports that a revision expired; a problem stays reported until it is over. */
    void expired(String reason, Duration delay) {
        enter(Phase.BACKING_OFF);
        retrying(Level.DEBUG, reason, delay);
    }

    /** Reports that something ended or failed and will be retried. */
    void backingOff(Phase phase, String problem, Duration delay) {
        retrying(report(phase, problem) ? Level.WARN : Level.DEBUG, problem, delay);
    }

    private void retrying(Level level, String problem, Duration delay) {
        log(level, "retrying", problem + "; next attempt in " + delay.toMillis() + " ms");
    }

    /** Returns the status for operators. For any thread. */
    ReflectorStatus status(Strategy strategy) {
        return new ReflectorStatus(strategy, Optional.ofNullable(synchronization), stateChanges);
    }

    /** Reports a defect of kubemirror; the stack trace names no object. */
    void defect(Throwable defect) {
        LOG.error("{}: internal error", mirror.scope(), defect);
    }

    /** Returns the measurement of the delay of changes. */
    SyncLag lag() {
        return lag;
    }

    /** Logs a frame that is skipped. */
    void skipped(String reason) {
        log(Level.DEBUG, "skipped", "skipped " + reason);
    }

    /** Reports that the reflector has been closed. */
    void stopped() {
        report(Phase.STOPPED, mirror.upstream().problem());
    }

    /** Returns whether the log has to tell it: a problem that is new, or over. */
    private boolean report(Phase phase, String problem) {
        boolean isNews = !mirror.upstream().problem().equals(problem);
        UpstreamStatus status = new UpstreamStatus(phase, now(), Instant.EPOCH, problem);
        writer.report(status);
        stateChanges = StateChange.after(stateChanges, status);
        return isNews;
    }
}
