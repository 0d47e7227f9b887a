package io.kubemirror.testing;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Resync;
import io.kubemirror.mirror.Resync.Completion;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;

import java.util.List;
import java.util.concurrent.Executor;

/** Creates mirrors. Unless a test says otherwise, a writer wakes the readers. */
public final class Mirrors {

    private Mirrors() {}

    /** Creates a mirror of pods. */
    public static Mirror pods() {
        return pods(Window.standard());
    }

    /** Creates a mirror of pods. */
    public static Mirror pods(Window window) {
        return of(whole("pods"), window);
    }

    /** Creates a mirror of pods whose readers an executor wakes. */
    public static Mirror pods(Window window, Executor executor) {
        return new Mirror(whole("pods"), window, executor, System::nanoTime);
    }

    /** Creates a mirror. */
    public static Mirror of(String resource) {
        return of(whole(resource), Window.standard());
    }

    /** Creates a mirror of a part of a collection. */
    public static Mirror of(Scope scope, Window window) {
        return new Mirror(scope, window, Runnable::run, System::nanoTime);
    }

    private static Scope whole(String resource) {
        return new Scope(new ResourceName(resource), Selection.everything());
    }

    /** Synchronizes a mirror by a list. */
    public static Completion list(MirrorWriter writer, long revision, KubeObject... objects) {
        Resync resync = writer.resync();
        List.of(objects).forEach(resync::add);
        return resync.complete(KubeObjects.revision(revision));
    }
}
