package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.mirror.MirrorFollower.Step;
import io.kubemirror.mirror.MirrorMemory.Limits;
import io.kubemirror.mirror.MirrorWriter.UpdateVisibility;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;

/**
 * A follower copies a mirror while updates, some of them hidden, are written. Whenever the copy has
 * a revision, it has every update up to there: a hidden update and the revision that it leads to
 * are taken together, under the lock of the writer. Without it, the follower clears a hidden update
 * that the writer has noted for it but not published yet.
 */
final class FollowedUpdates implements ConcurrentScenario {

    private final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    new Window(8, 8, Duration.ZERO, 1 << 20),
                    _ -> {},
                    System::nanoTime);
    private final MirrorWriter writer =
            new MirrorWriter(
                    mirror,
                    () -> 0,
                    UpdateVisibility.VISIBLE,
                    new MirrorMemory(MemoryBudget.unlimited()),
                    Limits.NONE);
    private final MirrorFollower follower;
    private final Map<String, Revision> copy = new TreeMap<>();

    FollowedUpdates() {
        Resync first = writer.resync();
        first.add(object("a/x", 10));
        first.complete(new Revision("10"));
        follower = new MirrorFollower(writer, () -> {});
        follower.resume();
        copy.put("a/x", new Revision("10"));
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::write, this::follow);
    }

    private void write() {
        writer.upsert(object("a/x", 11));
        writer.upsert(object("a/y", 12));
        writer.upsert(object("a/x", 13));
    }

    private void follow() {
        step();
        step();
    }

    private void step() {
        if (follower.next() instanceof Step.Advanced step) {
            step.changes().forEach(logged -> put(logged.change().latest()));
            step.hidden().forEach(this::put);
            int reached = Integer.parseInt(step.revision().digits());
            String x = reached < 11 ? "10" : reached < 13 ? "11" : "13";
            assertThat(copy.get("a/x")).isEqualTo(new Revision(x));
            assertThat(copy.containsKey("a/y")).isEqualTo(reached >= 12);
        }
    }

    private void put(KubeObject object) {
        copy.put(object.key().path(), object.revision());
    }

    @Override
    public void verify() {
        step();
        assertThat(copy).isEqualTo(Map.of("a/x", new Revision("13"), "a/y", new Revision("12")));
    }
}
