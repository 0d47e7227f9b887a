package io.kubemirror.feature.union;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.StateReader;

/** The reader reads a union of the mirror. */
final class StateReaderOfUnion extends StateReader {

    StateReaderOfUnion() {
        super(StateReaderOfUnion::unionOf);
    }

    private static Mirror unionOf(Mirror member) {
        Mirror union = new UnionMirror(member.scope(), List.of(member));
        new UnionMember(member, union, () -> {}, () -> {}).look();
        return union;
    }
}
