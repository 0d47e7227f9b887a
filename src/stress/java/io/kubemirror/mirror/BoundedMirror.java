package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.mirror.MirrorMemory.Limits;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;

/** A mirror at revision 10 with a history of one change, and the memory that it draws from. */
public final class BoundedMirror {

    private final MemoryBudget all;
    private final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    new Window(1, 1, Duration.ZERO, 1),
                    _ -> {},
                    System::nanoTime);
    private final MirrorWriter writer;

    /** Creates a mirror without objects. */
    public BoundedMirror(long bytes) {
        all = MemoryBudget.ofProcess(bytes);
        writer = new MirrorWriter(mirror, () -> 0, new MirrorMemory(all), Limits.NONE);
        writer.resync().complete(new Revision("10"));
    }

    /** Returns the mirror. */
    public Mirror mirror() {
        return mirror;
    }

    /** Returns its writer. */
    public MirrorWriter writer() {
        return writer;
    }

    /** Returns the budget of the process. */
    public MemoryBudget all() {
        return all;
    }

    /** Returns what a part of the budget has given, in bytes. */
    public long used(String part) {
        return all.parts().stream()
                .filter(some -> some.name().equals(part))
                .mapToLong(MemoryBudget::used)
                .sum();
    }
}
