package io.kubemirror.testing;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;

/** Sets of mirrors that a test has created. */
public final class MirrorSets {

    private MirrorSets() {}

    /** Creates a set of mirrors. */
    public static MirrorSet of(Mirror... mirrors) {
        return of(List.of(mirrors));
    }

    /** Creates a set of mirrors. */
    public static MirrorSet of(List<Mirror> mirrors) {
        MirrorSet set = new MirrorSet();
        set.update(mirrors);
        return set;
    }
}
