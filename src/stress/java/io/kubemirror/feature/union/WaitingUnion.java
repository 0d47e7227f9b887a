package io.kubemirror.feature.union;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.MirrorScenario;

/**
 * A member of a union publishes while the union looks at it and begins to wait: the union is woken
 * for everything that it has not seen.
 */
final class WaitingUnion extends MirrorScenario {

    private static final int LAST = 13;

    private final AtomicInteger wakes = new AtomicInteger();
    private final UnionMember member =
            new UnionMember(
                    mirror(),
                    new UnionMirror(mirror().scope(), List.of(mirror())),
                    wakes::incrementAndGet,
                    () -> {});
    private int wakesBefore;

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::write, this::runRounds, this::follow);
    }

    private void write() {
        for (int revision = 11; revision <= LAST; revision++) {
            writer().upsert(object("a/x", revision));
        }
    }

    /** As the thread of a union does, until it is parked. */
    private void follow() {
        boolean parks = false;
        while (!parks) {
            wakesBefore = wakes.get();
            member.look();
            parks = member.arm() && wakes.get() == wakesBefore;
        }
    }

    @Override
    public void verify() {
        runRounds();
        if (wakes.get() == wakesBefore) {
            assertThat(member.seen().revision().digits())
                    .as("the union sleeps on only if it has seen everything")
                    .isEqualTo(Integer.toString(LAST));
        }
    }
}
