package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.mirror.Coverage.UnknownStates;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/**
 * Follows a mirror for a copy from which another process can continue: its objects and its history.
 *
 * <p>It reads the log of the mirror at its own pace, as a watch does, so the mirror does not wait
 * for it.
 *
 * <p>Used by one thread. What the writer's thread touches is guarded by the lock of the writer.
 */
public final class MirrorFollower {

    private final MirrorWriter writer;
    private final Runnable invalidation;

    /** How often a replacement of the content has begun. Guarded by the lock of the writer. */
    private long replacements;

    /** Whether the content is being replaced. Guarded by the lock of the writer. */
    private boolean replacing;

    /**
     * The number of replacements that the history since {@link #whole} begins after, negative while
     * there is no copy. Guarded by the lock of the writer.
     */
    private long known = -1;

    private @Nullable Cursor cursor;

    /**
     * Creates a follower that has read nothing. A mirror has at most one.
     *
     * @param invalidation called by the writer's thread, which holds no lock, before it publishes
     *     content that does not follow from its changes, as a list does after a gap. It waits for
     *     nothing, neither for another thread nor for a disk. A copy must be unusable when this
     *     returns: readers of the new content may hold revisions that would have another meaning in
     *     it. No copy {@linkplain #isCurrent is current} from then on, until {@link #whole} has the
     *     new content.
     */
    public MirrorFollower(MirrorWriter writer, Runnable invalidation) {
        this.writer = writer;
        this.invalidation = invalidation;
        writer.locked(log -> log.followedBy(this));
    }

    /** What has happened since the last step. */
    public sealed interface Step {

        /** Nothing. */
        record Unchanged() implements Step {}

        /**
         * The history went on.
         *
         * @param changes the changes, oldest first
         * @param revision the revision that the copy has reached then
         * @param unknown the states in the history that the mirror has missed
         */
        record Advanced(List<LoggedChange> changes, Revision revision, List<UnknownStates> unknown)
                implements Step {}

        /** The copy does not lead to the present state. {@link MirrorFollower#whole} does. */
        record Lost() implements Step {}
    }

    /** Called by the writer's thread before it replaces the content. It holds no lock. */
    void replacing() {
        if (writer.read(_ -> beginReplacement())) {
            invalidation.run();
        }
    }

    /** Returns whether there may be a copy. */
    private boolean beginReplacement() {
        replacements++;
        replacing = true;
        return known >= 0;
    }

    /** Called by the writer's thread when readers see the content. */
    void replaced() {
        writer.locked(_ -> replacing = false);
    }

    /** Returns what has happened since the last step. At most 512 changes are read at once. */
    public Step next() {
        Cursor from = cursor;
        if (from == null) {
            return new Step.Lost();
        }
        return from.equals(writer.mirror().view().cursor())
                ? new Step.Unchanged()
                : writer.read(_ -> step(from));
    }

    /** Nothing is overwritten in the log while its lock is held. */
    private Step step(Cursor from) {
        View now = writer.mirror().view();
        if (replacements != known
                || !(now.read(from).orElse(null)
                        instanceof Reading.Progress(var changes, var to))) {
            stop();
            return new Step.Lost();
        }
        cursor = to;
        return new Step.Advanced(changes, to.revision(), now.recent().coverage().unknown());
    }

    /** Gives up the position. */
    public void stop() {
        cursor = null;
    }

    /**
     * Returns the whole history, after which {@link #next} continues; empty if the mirror has no
     * content, or is about to get other content. The caller closes it.
     */
    public Optional<History> whole() {
        // A pin may end other readers, which must not happen under the lock.
        return writer.read(_ -> begin())
                .map(begun -> new History(begun.view(), begun.changes(), writer));
    }

    private Optional<Beginning> begin() {
        View now = writer.mirror().view();
        if (replacing || now.snapshot() == null || now.type() == null) {
            return Optional.empty();
        }
        resume(now);
        Revision base = now.recent().base().revision();
        return Optional.of(
                new Beginning(now, now.recent().after(base, Integer.MAX_VALUE).orElseThrow()));
    }

    /** A view and its changes, which its log has as long as the lock is held. */
    private record Beginning(View view, List<LoggedChange> changes) {}

    private void resume(View now) {
        known = replacements;
        cursor = now.cursor();
    }

    /** Continues after the present state, which the copy has. */
    public void resume() {
        writer.locked(_ -> resume(writer.mirror().view()));
    }

    /**
     * Returns whether no replacement of the content has begun since {@link #whole}. One that begins
     * later calls the invalidation.
     */
    public boolean isCurrent() {
        return writer.read(_ -> replacements == known);
    }

    /** The history of a mirror at one moment: the oldest state, and what followed. */
    public static final class History implements AutoCloseable {

        private final View view;
        private final List<LoggedChange> changes;
        private final AtomicBoolean aborted = new AtomicBoolean();
        private final SnapshotPins.Pin pin;

        private History(View view, List<LoggedChange> changes, MirrorWriter writer) {
            this.view = view;
            this.changes = changes;
            this.pin = writer.mirror().pins().add(view.era(), base(), () -> aborted.set(true));
        }

        /** Returns what readers saw at that moment, which has a type and a state. */
        public View view() {
            return view;
        }

        /** Returns the state before the changes. */
        public Snapshot base() {
            return view.recent().base();
        }

        /** Returns what followed until the present state. */
        public Step.Advanced followed() {
            return new Step.Advanced(changes, view.revision(), view.recent().coverage().unknown());
        }

        /** Returns whether the memory of this state is needed: the caller must give it up. */
        public boolean isAborted() {
            return aborted.get();
        }

        @Override
        public void close() {
            pin.close();
        }
    }
}
