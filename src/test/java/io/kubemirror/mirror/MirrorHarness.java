package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.revision;

import module java.base;

import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.testing.Mirrors;

/** A mirror of pods with at most so many changes, its writer, and what its readers see. */
abstract class MirrorHarness {

    final Mirror mirror;
    final MirrorWriter writer;

    MirrorHarness(int changes) {
        mirror = Mirrors.pods(new Window(4, changes, Duration.ofSeconds(75), 1 << 20));
        writer = Mirrors.writer(mirror, () -> 0);
    }

    Resync.Completion list(long revision, KubeObject... objects) {
        return Mirrors.list(writer, revision, objects);
    }

    Snapshot snapshot() {
        return mirror.snapshot().orElseThrow();
    }

    KubeObject stored(String path) {
        return snapshot().get(new ObjectKey(path)).orElseThrow();
    }

    /** The cursor of a client that has everything. */
    Cursor cursor() {
        return mirror.view().cursor();
    }

    /** The cursor of a client that has everything up to a revision. */
    Cursor cursor(long revision) {
        return ((StartPosition.From) mirror.start(revision(revision))).cursor();
    }

    Reading.Progress read(Cursor cursor) {
        return (Reading.Progress) mirror.read(cursor);
    }

    /** What a client with the cursor gets, such as {@code Deleted a/x at 12}. */
    List<String> seenBy(Cursor cursor) {
        return read(cursor).changes().stream()
                .map(LoggedChange::change)
                .map(
                        change ->
                                "%s %s at %s"
                                        .formatted(
                                                change.getClass().getSimpleName(),
                                                change.key(),
                                                change.revision()))
                .toList();
    }
}
