package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.Mirrors;

import org.jspecify.annotations.Nullable;

/**
 * A copy of a mirror is made and gets its name while the content is replaced. A process that is
 * killed at any moment leaves no copy of the old content if a reader can have seen the new.
 *
 * <p>Fails if a copy can be begun while the content is being replaced.
 */
final class ReplacedCopy implements ConcurrentScenario {

    private static final ResourceType PODS =
            new ResourceType("", "v1", "Pod", "pods", "pod", true, List.of(), List.of());
    private static final Revision OLD = new Revision("10");
    private static final Revision NEW = new Revision("20");

    private final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    new Window(8, 8, Duration.ZERO, 1 << 20),
                    Mirrors.READS,
                    _ -> {},
                    System::nanoTime);
    private final MirrorWriter writer = Mirrors.writer(mirror, () -> 0);
    private final Copy first = new Copy(OLD);

    /** Another copy, null if there is none. */
    private volatile @Nullable Copy fresh;

    /** The copy that the next process would use, unless it is marked. */
    private volatile Copy named = first;

    private static final class Copy {

        private final Revision revision;
        private volatile boolean marked;

        Copy(Revision revision) {
            this.revision = revision;
        }

        boolean isOld() {
            return !marked && revision.equals(OLD);
        }
    }

    ReplacedCopy() {
        writer.identify(PODS, DeclaredFields.NONE);
        writer.resync().complete(OLD);
        writer.beforeReplacement(this::mark);
    }

    private void mark() {
        first.marked = true;
        Copy other = fresh;
        if (other != null) {
            other.marked = true;
        }
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::replace, this::copy, this::read);
    }

    private void replace() {
        Resync list = writer.resync();
        list.add(object("a/x", 15));
        list.complete(NEW);
    }

    private void copy() {
        long before = writer.replacements();
        if (before % 2 != 0) {
            return;
        }
        Copy copy = new Copy(mirror.revision());
        fresh = copy;
        if (writer.replacements() == before) {
            named = copy;
        }
    }

    private void read() {
        if (mirror.revision().equals(NEW)) {
            assertThat(named.isOld()).isFalse();
        }
    }

    @Override
    public void verify() {
        assertThat(named.isOld()).isFalse();
    }
}
