package io.kubemirror.api.read;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Revision;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The highest revision of each mirror's collection that the API server's own answers have shown to
 * clients: no later answer may be older (list-watch.md#fr-4).
 *
 * <p>A mirror's own answers need no such memory, since its revision never goes back but when the
 * server's does (list-watch.md#re-12). The server's answers are ahead of the mirror, a quiet one by
 * a minute; so until it has come to them, whoever asks for any state is referred to the server too,
 * and what begins with the mirror's state, a watch, waits. When the mirror is seen to have gone
 * back behind where it was, the server was reset and the memory goes with the history that it is
 * of.
 *
 * <p>May be used from any thread.
 */
public final class ServedRevisions {

    private final Map<Mirror, Mark> marks = new ConcurrentHashMap<>();

    /**
     * What was served when.
     *
     * @param highest the highest revision that was served
     * @param mirrorAt the revision of the mirror then
     */
    private record Mark(Revision highest, Revision mirrorAt) {

        /** This one after another, which is of no interest if the server was reset in between. */
        Mark after(Mark earlier) {
            return mirrorAt.isBefore(earlier.mirrorAt)
                    ? this
                    : new Mark(Revision.later(highest, earlier.highest), mirrorAt);
        }
    }

    /** An answer of the server is about to be sent. */
    public void raise(Mirror mirror, Revision served) {
        marks.compute(
                mirror,
                (_, earlier) -> {
                    // Read under the lock of the key, so never before the mark that is replaced: an
                    // earlier look would be taken for a mirror that has gone back.
                    Mark now = new Mark(served, mirror.revision());
                    return earlier == null ? now : now.after(earlier);
                });
    }

    /** No answer may be of an earlier revision. */
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

    /** Whether the mirror's state is older than what was served. */
    public boolean isAhead(Mirror mirror) {
        return floor(mirror).isAfter(mirror.revision());
    }
}
