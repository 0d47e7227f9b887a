package io.kubemirror.testing;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.ReadPolicy;
import io.kubemirror.mirror.ReadPolicy.ReadMode;
import io.kubemirror.mirror.Restoration;
import io.kubemirror.mirror.Resync;
import io.kubemirror.mirror.Resync.Completion;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.Selection;

/** Creates mirrors. Unless a test says otherwise, a writer wakes the readers. */
public final class Mirrors {

    /** Mirrors serve every read of whole objects, however stale. */
    public static final ReadPolicy READS =
            new ReadPolicy(ReadMode.CACHE, true, null, "", List.of());

    private Mirrors() {}

    /** The API server's own window (75 s, 100 to 102,400 changes) within 64 MiB. */
    public static Window window() {
        return new Window(100, 102_400, Duration.ofSeconds(75), 64L << 20);
    }

    /** Creates a mirror of pods. */
    public static Mirror pods() {
        return pods(window());
    }

    /** Creates a mirror of pods. */
    public static Mirror pods(Window window) {
        return of(whole("pods"), window);
    }

    /** Creates a mirror of pods whose readers an executor wakes. */
    public static Mirror pods(Window window, Executor executor) {
        return new Mirror(whole("pods"), window, READS, executor, System::nanoTime);
    }

    /** Creates a mirror. */
    public static Mirror of(String resource) {
        return of(whole(resource), window());
    }

    /** Creates a mirror of a part of a collection. */
    public static Mirror of(Scope scope, Window window) {
        return new Mirror(scope, window, READS, Runnable::run, System::nanoTime);
    }

    private static Scope whole(String resource) {
        return new Scope(new ResourceName(resource), Selection.everything());
    }

    /** Creates a writer whose objects and history take no memory of others. */
    public static MirrorWriter writer(Mirror mirror, LongSupplier nanos) {
        return new MirrorWriter(
                mirror,
                nanos,
                new MirrorMemory(MemoryBudget.unlimited()),
                new MirrorMemory.Limits(0, 0));
    }

    /** Creates a writer whose objects and history take memory. */
    public static MirrorWriter writer(Mirror mirror, MirrorMemory memory) {
        return new MirrorWriter(mirror, () -> 0, memory, new MirrorMemory.Limits(0, 0));
    }

    /**
     * Completes a restoration, without what its history has missed.
     *
     * @param reached the revision that it has reached
     * @param written when it was stored
     * @param contact the last contact to the server
     */
    public static void restore(
            Restoration restoration,
            ResourceType type,
            long reached,
            Instant written,
            Instant contact) {
        restoration.complete(
                type,
                DeclaredFields.NONE,
                KubeObjects.revision(reached),
                Revision.ZERO,
                List.of(),
                written,
                contact);
    }

    /** Synchronizes a mirror by a list. */
    public static Completion list(MirrorWriter writer, long revision, KubeObject... objects) {
        Resync resync = writer.resync();
        List.of(objects).forEach(resync::add);
        return resync.complete(KubeObjects.revision(revision));
    }
}
