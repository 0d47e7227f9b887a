package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory.OverBudgetException.Excess;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Names;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Scope;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.SyncLag;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorStatus.StateChange;
import io.kubemirror.reflector.ReflectorStatus.Synchronization;
import io.kubemirror.reflector.ReflectorStatus.Trouble;
import io.kubemirror.source.WatchFrame;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Reports what the reflector is doing to readers, the counters, the reflectors that wait for the
 * server, and the log: one line for a transition, none for its repetition.
 *
 * <p>Each line has a text for people and the same content in fields, which appear if the log is
 * structured ({@code logging.structured.format.console}): {@code event.action}, from the Elastic
 * Common Schema, and kubemirror's own fields below {@code kubemirror}. No field names an object or
 * contains a part of it.
 *
 * <p>Used by one thread; any thread may read the last synchronization, failure, and state changes.
 */
final class StatusReporter {

    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);

    private final MirrorWriter writer;
    private final Mirror mirror;
    private final ReflectorEnvironment environment;
    private final ReflectorCounts counts;

    /** All three are immutable and independent of each other. */
    private volatile @Nullable Synchronization synchronization;

    private volatile @Nullable Trouble trouble;

    private volatile List<StateChange> stateChanges = List.of();

    /** The kinds of requests that show, once one is accepted, that the problem is over. */
    private Set<Verb> denied = Set.of();

    private final SyncLag lag;
    private Progress progress = new Progress(Instant.EPOCH);

    StatusReporter(MirrorWriter writer, ReflectorEnvironment environment, ReflectorCounts counts) {
        this.writer = writer;
        this.mirror = writer.mirror();
        this.environment = environment;
        this.counts = counts;
        this.lag = new SyncLag(counts);
    }

    /**
     * Starts a log line with the common fields. For any thread.
     *
     * @param action the event, in one word
     */
    LoggingEventBuilder line(Level level, String action) {
        return LOG.atLevel(level)
                .addKeyValue("event.action", action)
                .addKeyValue("kubemirror.resource", scope().toString())
                .addKeyValue("kubemirror.phase", Names.kebab(mirror.upstream().phase()))
                .addKeyValue("kubemirror.revision", mirror.revision().digits());
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
        report(Phase.RESOLVING, now(), "");
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
    void heard() {
        writer.report(mirror.upstream().answered(now()));
    }

    /** Records that the server answered a request, other than by 429. */
    void answered() {
        heard();
        environment.probe().answered();
    }

    /** Records that the server is too busy, and for how long. */
    void throttled(Duration delay) {
        heard();
        environment.probe().throttled(delay);
    }

    /** Records that discovery was answered. */
    void resolved() {
        answered();
        if (!denied.isEmpty()) {
            permitted();
        }
    }

    /** Records that a list or a watch was accepted. */
    void accepted(Verb verb) {
        answered();
        if (denied.contains(verb)) {
            permitted();
        }
    }

    private void permitted() {
        UpstreamStatus now = mirror.upstream();
        boolean isNews = report(now.phase(), now.since(), "");
        denied = Set.of();
        line(level(isNews, Level.INFO), "permitted").log("{}: permitted again", scope());
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
        UpstreamStatus now = mirror.upstream();
        if (now.phase() != phase) {
            report(phase, now(), now.problem());
        }
    }

    /** Reports that objects are about to arrive. */
    void fetching() {
        progress = new Progress(now());
    }

    /** Returns when {@link #fetching} was reported. */
    Instant began() {
        return progress.began;
    }

    /** Counts an object that has arrived, and logs the progress from time to time. */
    void fetched(KubeObject object) {
        progress.add(object);
        if (progress.isDue(now())) {
            line(Level.INFO, "progress")
                    .addKeyValue("kubemirror.objects", progress.objects)
                    .addKeyValue("kubemirror.bytes", progress.bytes)
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
    String tooLarge(Excess tooLarge) {
        return environment.messages().tooLarge(tooLarge, progress.remaining());
    }

    /** Reports that the present state is complete. */
    void synced(TimedSpan how) {
        Duration took = Duration.between(began(), now());
        counts.time(how, took);
        lag.synced(systemTime());
        boolean first = synchronization == null;
        synchronization = new Synchronization(Names.kebab(how), now(), took.toMillis() / 1000.0);
        Snapshot state = mirror.snapshot().orElseThrow();
        line(level(first, Level.INFO), "synchronized")
                .addKeyValue("event.duration", took.toNanos())
                .addKeyValue("kubemirror.objects", state.size())
                .log(
                        "{}: synchronized by {} in {} ms: {}",
                        scope(),
                        Names.kebab(how),
                        took.toMillis(),
                        state);
    }

    /** Reports that a resynchronization ended local watches. */
    void broken() {
        counts.count(Counter.RESYNCS_BROKEN);
        line(Level.WARN, "broken")
                .log(
                        "{}: the history restarts; all watches end and clients must list again",
                        scope());
    }

    /** Reports that changes arrive again; the last problem is over. */
    void watching() {
        contacted();
        boolean isNews = report(Phase.WATCHING, now(), "");
        denied = Set.of();
        line(level(isNews, Level.INFO), "watching").log("{}: watching again", scope());
    }

    /** Reports that the server does not have the type any more, which is no problem. */
    void gone() {
        report(Phase.ABSENT, now(), "");
        line(Level.INFO, "gone")
                .log("{}: the server does not have this resource any more", scope());
    }

    /** Reports that a revision expired; a problem stays reported until it is over. */
    void expired(String reason, Duration delay) {
        trouble = new Trouble(reason, now());
        enter(Phase.BACKING_OFF);
        line(Level.DEBUG, "expired")
                .log("{}: {}; next attempt in {} ms", scope(), reason, delay.toMillis());
    }

    /** Reports that something ended or failed and will be retried. */
    void backingOff(Phase phase, String problem, Duration delay) {
        trouble = new Trouble(problem, now());
        boolean isNews = report(phase, now(), problem);
        denied = Set.of();
        line(level(isNews, Level.WARN), "retrying")
                .addKeyValue("kubemirror.problem", problem)
                .addKeyValue("kubemirror.delay", delay.toMillis())
                .log("{}: {}; next attempt in {} ms", scope(), problem, delay.toMillis());
    }

    /**
     * Reports that the reflector has not begun, because the mirror is still being written
     * otherwise.
     */
    void waiting(String problem) {
        trouble = new Trouble(problem, now());
        report(Phase.BACKING_OFF, now(), problem);
        line(Level.WARN, "waiting")
                .addKeyValue("kubemirror.problem", problem)
                .log("{}: {}", scope(), problem);
    }

    /** Returns the status for operators. For any thread. */
    ReflectorStatus status(Strategy strategy, List<String> serverCapabilities) {
        return new ReflectorStatus(
                strategy,
                serverCapabilities,
                Optional.ofNullable(synchronization),
                Optional.ofNullable(trouble),
                stateChanges);
    }

    /** Reports a defect of kubemirror; the stack trace names no object. */
    void defect(Throwable defect) {
        line(Level.ERROR, "defect").setCause(defect).log("{}: internal error", scope());
    }

    /** Returns the measurement of the delay of changes. */
    SyncLag lag() {
        return lag;
    }

    /** Counts and logs a frame that is skipped. */
    void skipped(WatchFrame.Foreign frame) {
        counts.count(Counter.EVENTS_FOREIGN);
        line(Level.DEBUG, "skipped").log("{}: skipped {}", scope(), frame.reason());
    }

    /**
     * Logs that a watch-list paused for too long before its initial events were complete
     * (list-watch.md#up-28).
     */
    void silent() {
        line(Level.WARN, "silent")
                .log(
                        "{}: the initial events of the watch-list paused for too long;"
                                + " listing instead",
                        scope());
    }

    /** Logs that the reflector's thread did not end in time. */
    void abandoned(Duration patience) {
        line(Level.WARN, "abandoned")
                .log(
                        "{}: did not stop within {} ms; it ends without being waited for",
                        scope(),
                        patience.toMillis());
    }

    /** Reports that the reflector has been closed. */
    void stopped() {
        report(Phase.STOPPED, now(), mirror.upstream().problem());
    }

    /** Returns whether the log has to tell it. */
    private boolean report(Phase phase, Instant since, String problem) {
        UpstreamStatus before = mirror.upstream();
        UpstreamStatus status = new UpstreamStatus(phase, since, Instant.EPOCH, problem);
        writer.report(status);
        stateChanges = StateChange.after(stateChanges, status);
        return environment.messages().isNews(before, status);
    }

    private static Level level(boolean isNews, Level level) {
        return isNews ? level : Level.DEBUG;
    }

    private Scope scope() {
        return mirror.scope();
    }

    /** The progress of a synchronization, for the log. */
    private static final class Progress {

        /** The minimum interval between log lines. */
        private static final Duration INTERVAL = Duration.ofSeconds(5);

        private final Instant began;
        private Instant lastLogged;
        private long objects;
        private long bytes;

        /** The number of objects in all, as the server estimates it; 0 if unknown. */
        private long expected;

        /** Starts without objects. */
        Progress(Instant began) {
            this.began = began;
            this.lastLogged = began;
        }

        /** Counts an object that has arrived. */
        void add(KubeObject object) {
            objects++;
            bytes += object.json().length;
        }

        /** Sets the server's estimate of the number of objects still to come. */
        void expect(long more) {
            expected = objects + more;
        }

        /** Returns whether a log line is due; if so, the interval starts again. */
        boolean isDue(Instant now) {
            boolean due = !now.isBefore(lastLogged.plus(INTERVAL));
            if (due) {
                lastLogged = now;
            }
            return due;
        }

        /** Returns the number of objects still to come, 0 if unknown. */
        long remaining() {
            return Math.max(0, expected - objects);
        }

        /**
         * Returns the average number of objects per second, as of the last call of {@link #isDue}.
         */
        long rate() {
            return objects * 1_000 / Math.max(1, millis());
        }

        /** Returns the progress as text for people. */
        @Override
        public String toString() {
            String sofar =
                    String.format(
                            Locale.ROOT,
                            "%,d objects so far, %.1f MB in %d s, %,d/s",
                            objects,
                            bytes / 1e6,
                            millis() / 1_000,
                            rate());
            return remaining() == 0
                    ? sofar
                    : String.format(
                            Locale.ROOT,
                            "%s; about %,d remaining, %d s",
                            sofar,
                            remaining(),
                            remaining() * millis() / Math.max(1, objects) / 1_000);
        }

        private long millis() {
            return Duration.between(began, lastLogged).toMillis();
        }
    }
}
