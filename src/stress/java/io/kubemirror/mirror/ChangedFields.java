package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.scripted.ServedTypes;

/**
 * The definition of a type declares other fields while a reader reads the fields and then the
 * content.
 */
final class ChangedFields implements ConcurrentScenario {

    private static final DeclaredFields CHANGED =
            new DeclaredFields(List.of(SelectableField.at("spec.size")), "");

    private final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    Mirrors.window(),
                    Mirrors.READS,
                    _ -> {},
                    System::nanoTime);
    private final MirrorWriter writer = Mirrors.writer(mirror, () -> 0);

    ChangedFields() {
        writer.identify(ServedTypes.PODS, DeclaredFields.NONE);
        writer.resync().complete(new Revision("10"));
        writer.upsert(object("a/old", 11));
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::change, this::read, this::read);
    }

    private void change() {
        writer.identify(ServedTypes.PODS, CHANGED);
        writer.resync().complete(new Revision("20"));
    }

    private void read() {
        DeclaredFields fields = mirror.declaredFields();
        Optional<Snapshot> content = mirror.snapshot();
        if (fields.equals(CHANGED)) {
            assertThat(content.map(Snapshot::size).orElse(0))
                    .as("content that was read for other fields")
                    .isZero();
        }
    }

    @Override
    public void verify() {
        assertThat(mirror.declaredFields()).isEqualTo(CHANGED);
        assertThat(mirror.revision()).isEqualTo(new Revision("20"));
    }
}
