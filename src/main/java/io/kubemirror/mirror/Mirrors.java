package io.kubemirror.mirror;

import java.util.List;

/** All mirrors of this process, in the order of the configuration. */
public record Mirrors(List<Mirror> all) {

    /** Copies the list. */
    public Mirrors {
        all = List.copyOf(all);
    }
}
