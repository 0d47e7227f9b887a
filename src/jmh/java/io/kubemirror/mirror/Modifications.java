package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.kube.BenchmarkCollections;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.Mirrors;

/**
 * Modifies one object of a collection after another, in an order that does not suit caches; the
 * JSON stays the same.
 *
 * <p>Used by one thread at a time.
 */
final class Modifications {

    /** Prime and far from any number of objects, so that all of them have their turn. */
    private static final int STEP = 7_919;

    private final List<KubeObject> objects;
    private long revision;
    private int turn;

    /** The modifications of objects which are {@link BenchmarkCollections#objects(int)}. */
    Modifications(List<KubeObject> objects) {
        this.objects = objects;
        this.revision = BenchmarkCollections.FIRST_REVISION + objects.size();
    }

    /** A mirror that holds the objects as they were first. */
    MirrorWriter mirrored(Executor waker) {
        Scope scope = new Scope(new ResourceName("objects"), Selection.everything());
        Mirror mirror = new Mirror(scope, Mirrors.window(), Mirrors.READS, waker, System::nanoTime);
        MirrorWriter writer = Mirrors.writer(mirror, System::nanoTime);
        Resync resync = writer.resync();
        objects.forEach(resync::add);
        resync.complete(revision());
        return writer;
    }

    /** The revision of the latest modification. */
    Revision revision() {
        return new Revision(Long.toString(revision));
    }

    /** The next modification. */
    KubeObject next() {
        turn = (turn + STEP) % objects.size();
        return next(turn);
    }

    /** The modification of one object. */
    KubeObject next(int number) {
        revision++;
        KubeObject known = objects.get(number);
        return new KubeObject(
                known.key(),
                known.uid(),
                revision(),
                known.labels(),
                known.fields(),
                known.json(),
                known.metadata(),
                known.version());
    }

    /** The next modification as a change. */
    Change change() {
        KubeObject object = next();
        return new Change.Modified(object.revision(), objects.get(turn), object);
    }
}
