package io.kubemirror.mirror;

import io.kubemirror.model.Revision;

/**
 * How far a reader has come: a subscription is nothing but this.
 *
 * @param revision everything up to here has been read
 * @param era the uninterrupted history that the revision belongs to; a reset of the mirror begins
 *     another
 */
public record Cursor(Revision revision, long era) {

    /** The later of two in the same history; of different histories, this one. */
    Cursor orLater(Cursor other) {
        return other.era == era && other.revision.isAfter(revision) ? other : this;
    }
}
