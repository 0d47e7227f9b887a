package io.kubemirror.feature.union;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.ReflectorSettings.Strategy;

import java.util.ArrayList;
import java.util.List;

/** The read API with parts of a collection, which a test writes, and all of them together. */
final class UnionApi implements AutoCloseable {

    private final List<UnionReflector> reflectors = new ArrayList<>();
    final ApiFixture served;

    UnionApi(Scope... scopes) {
        Scope all =
                new Scope(scopes[0].resource(), Selection.everything(), scopes[0].extent(), true);
        served = ApiFixture.of(mirrors -> List.of(unite(all, mirrors)), List.of(scopes));
    }

    private Mirror unite(Scope all, List<Mirror> members) {
        Mirror union = new UnionMirror(all, members);
        reflectors.add(
                new UnionReflector(
                        new MirrorUnion(
                                new MirrorWriter(union, System::nanoTime),
                                (_, _) -> {},
                                System::nanoTime),
                        Strategy.AUTO,
                        _ -> {}));
        reflectors.getFirst().start();
        return union;
    }

    /** The mirror of all parts together. */
    Mirror union() {
        return reflectors.getFirst().mirror();
    }

    @Override
    public void close() {
        served.close();
        reflectors.forEach(UnionReflector::close);
    }
}
