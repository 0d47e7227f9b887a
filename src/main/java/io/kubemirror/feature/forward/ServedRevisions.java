package io.kubemirror.feature.forward;

import com.github.benmanes.caffeine.cache.Caffeine;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Revision;

import java.util.Map;

/**
 * Tracks, for the collection of each mirror, the highest revision in proxied responses of the API
 * server. Later responses must not be older (list-watch.md#fr-4).
 *
 * <p>Responses of the mirror need no tracking, since the revision of a mirror decreases only when
 * that of the server does (list-watch.md#re-12). Responses of the server are ahead of the mirror,
 * by up to a minute if the collection is quiet. Until the mirror has caught up, reads of any state
 * go to the server too, and watches that begin with the state of the mirror wait. A mirror whose
 * revision has decreased indicates a reset of the server; the tracked revision then belongs to the
 * previous history and is discarded.
 *
 * <p>May be used from any thread.
 */
public final class ServedRevisions {

    /** A mirror that has been removed is forgotten when no request uses it any more. */
    private final Map<Mirror, Mark> marks =
            Caffeine.newBuilder().weakKeys().executor(Runnable::run).<Mirror, Mark>build().asMap();

    /**
     * A served revision.
     *
     * @param highest the highest revision that was served
     * @param mirrorAt the revision of the mirror at that time
     */
    private record Mark(Revision highest, Revision mirrorAt) {

        /**
         * Combines this mark with an earlier one, which is discarded if the server was reset in
         * between.
         */
        Mark after(Mark earlier) {
            return mirrorAt.isBefore(earlier.mirrorAt)
                    ? this
                    : new Mark(Revision.later(highest, earlier.highest), mirrorAt);
        }
    }

    /** Records the revision of a response of the API server, before the response is sent. */
    public void raise(Mirror mirror, Revision served) {
        marks.compute(
                mirror,
                (_, earlier) -> {
                    // Read under the lock of the key and thus never before the mark that is
                    // replaced. An earlier read could look like a mirror whose revision has
                    // decreased.
                    Mark now = new Mark(served, mirror.revision());
                    return earlier == null ? now : now.after(earlier);
                });
    }

    /** Returns the minimum revision of the next response. */
    public Revision floor(Mirror mirror) {
        Mark mark = marks.get(mirror);
        if (mark == null) {
            return Revision.ZERO;
        }
        if (mirror.revision().isBefore(mark.mirrorAt())) {
            marks.remove(mirror, mark);
            return Revision.ZERO;
        }
        return mark.highest();
    }

    /** Returns whether the state of the mirror is older than a revision that was served. */
    public boolean isAhead(Mirror mirror) {
        return floor(mirror).isAfter(mirror.revision());
    }
}
