package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.mirror.Indexes.Dimension;
import io.kubemirror.model.KubeObject;

/** A list builds an index while the writer carries the indexes over to the next state. */
final class SharedIndexes implements ConcurrentScenario {

    private static final Dimension APP = new Dimension(true, "app");

    private final KubeObject web = object("a/x", "uid-x", 1, Map.of("app", "web"));
    private final Indexes indexes = Indexes.none();
    private final List<KubeObject> objects = List.of(web);
    private Indexes next = indexes;

    SharedIndexes() {
        indexes.find(APP, List.of());
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(
                () -> next = indexes.after(objects, null, web),
                () -> assertFound(indexes),
                () -> assertFound(indexes));
    }

    private void assertFound(Indexes present) {
        Indexes.Index found = present.find(APP, objects);
        if (found != null) {
            assertThat(found.get("web").values()).containsExactly(web);
        }
    }

    @Override
    public void verify() {
        assertFound(next);
        assertThat(indexes.find(APP, objects)).as("a state of the past keeps no index").isNull();
    }
}
