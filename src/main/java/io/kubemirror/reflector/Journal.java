package io.kubemirror.reflector;

import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Upstream;
import io.kubemirror.mirror.Upstream.Phase;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.reflector.Account.Synchronisation;
import io.kubemirror.reflector.Account.Trouble;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
final class Journal {

    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);

    private final MirrorWriter writer;
    private final InstantSource clock;

    private volatile @Nullable Synchronisation synchronisation;
    private volatile @Nullable Trouble trouble;

    /** A request of one of these kinds, if it is accepted, shows that the problem is over. */
    private Set<Verb> denied = Set.of();

    Journal(MirrorWriter writer, InstantSource clock) {
        this.writer = writer;
        this.clock = clock;
    }

    /** Nothing is known yet. */
    void started() {
        writer.report(Upstream.starting(clock.instant()));
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
        LOG.info("{}: permitted again", writer.mirror().scope());
        Upstream now = writer.mirror().upstream();
        writer.report(new Upstream(now.phase(), now.since(), now.contact(), ""));
        denied = Set.of();
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
        Upstream now = writer.mirror().upstream();
        if (now.phase() != phase) {
            writer.report(new Upstream(phase, clock.instant(), now.contact(), now.problem()));
        }
    }

    /** The present state is complete. */
    void synchronised(String how, Instant began) {
        Instant now = clock.instant();
        synchronisation = new Synchronisation(how, now, Duration.between(began, now));
        LOG.info(
                "{}: synchronised by {} in {} ms: {}",
                writer.mirror().scope(),
                how,
                Duration.between(began, clock.instant()).toMillis(),
                writer.mirror().snapshot().orElseThrow());
    }

    /** Local watchers could not be spared a resynchronisation. */
    void broken() {
        LOG.warn(
                "{}: the history begins anew, local watches end and clients list again",
                writer.mirror().scope());
    }

    /** Changes arrive again; whatever was wrong is over. */
    void watching() {
        Upstream before = writer.mirror().upstream();
        if (before.problem().isEmpty()) {
            LOG.debug("{}: watching", writer.mirror().scope());
        } else {
            LOG.info("{}: watching again", writer.mirror().scope());
        }
        Instant now = clock.instant();
        writer.report(new Upstream(Phase.WATCHING, now, now, ""));
        denied = Set.of();
    }

    /** Something ended or failed and will be tried again. */
    void resting(Phase phase, String problem, Duration delay) {
        trouble = new Trouble(problem, clock.instant());
        Upstream before = writer.mirror().upstream();
        if (before.problem().equals(problem)) {
            LOG.debug("{}: {} (again)", writer.mirror().scope(), problem);
        } else {
            LOG.warn(
                    "{}: {}; next attempt in {} ms",
                    writer.mirror().scope(),
                    problem,
                    delay.toMillis());
        }
        writer.report(new Upstream(phase, clock.instant(), before.contact(), problem));
        denied = Set.of();
    }

    /** The last complete synchronisation. */
    Optional<Synchronisation> synchronisation() {
        return Optional.ofNullable(synchronisation);
    }

    /** The last failure, also if it is over. */
    Optional<Trouble> trouble() {
        return Optional.ofNullable(trouble);
    }

    /** Something happened that cannot happen; the trace names no object. */
    void defect(RuntimeException defect) {
        LOG.error("{}: internal error", writer.mirror().scope(), defect);
    }

    /** A frame was passed over. */
    void skipped(String reason) {
        LOG.debug("{}: passed over {}", writer.mirror().scope(), reason);
    }

    /** A watch-list paused for too long before its initial events were complete (UP-28). */
    void silent() {
        LOG.warn(
                "{}: the stream of the present state fell silent before its end, for longer than"
                        + " kubemirror.upstream.initial-silence; listing instead",
                writer.mirror().scope());
    }

    /** The reflector's thread did not end in time. */
    void abandoned(Duration patience) {
        LOG.warn(
                "{}: still busy {} ms after it was told to stop, left behind",
                writer.mirror().scope(),
                patience.toMillis());
    }

    /** The reflector has been closed. */
    void stopped() {
        Upstream now = writer.mirror().upstream();
        writer.report(new Upstream(Phase.STOPPED, clock.instant(), now.contact(), now.problem()));
    }
}
