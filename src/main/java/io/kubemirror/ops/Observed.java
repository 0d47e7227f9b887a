package io.kubemirror.ops;

import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.mirror.Followers;
import io.kubemirror.mirror.Mirror;

import java.time.InstantSource;
import java.util.List;

/**
 * What operators look at.
 *
 * @param mirrors the mirrors in the order of the configuration
 * @param followers knows who follows them
 * @param setup what never changes
 * @param memory the memory budget of the process
 * @param clock tells the time
 */
public record Observed(
        List<Mirrored> mirrors,
        Followers followers,
        Setup setup,
        MemoryBudget memory,
        InstantSource clock) {

    /** Copies the list. */
    public Observed {
        mirrors = List.copyOf(mirrors);
    }

    /** The mirrors alone. */
    List<Mirror> plain() {
        return mirrors.stream().map(Mirrored::mirror).toList();
    }
}
