package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.model.Change;
import io.kubemirror.model.Revision;

/** Two clients ask for several forms of a change, of which it keeps one at a time. */
final class SharedFrames implements ConcurrentScenario {

    private final LoggedChange change =
            new LoggedChange(
                    0,
                    new Change.Added(new Revision("11"), object("a/x", 11)),
                    Snapshot.empty(new Revision("11")),
                    0);

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(() -> ask("first", "b"), () -> ask("c", "b"));
    }

    private void ask(String one, String other) {
        assertForm(one);
        assertForm(other);
    }

    private void assertForm(String form) {
        byte[] bytes = new byte[10];
        bytes[0] = (byte) form.charAt(0);
        assertThat(change.frame(form, () -> bytes)).isEqualTo(bytes);
    }

    @Override
    public void verify() {
        assertForm("b");
        assertForm("c");
    }
}
