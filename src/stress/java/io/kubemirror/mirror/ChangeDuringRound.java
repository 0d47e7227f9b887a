package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.selection;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

/**
 * A change is published while a round examines the one before it, which does not concern the
 * waiting reader: the reader is signaled.
 */
final class ChangeDuringRound extends MirrorScenario {

    private final Subscription subscription =
            mirror().subscribe(selection("", "", "metadata.name=x"), () -> {});

    ChangeDuringRound() {
        assertThat(subscription.arm(mirror().view().cursor())).isTrue();
        writer().upsert(object("a/other", 11));
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::runRounds, () -> writer().upsert(object("a/x", 12)));
    }

    @Override
    public void verify() {
        runRounds();
        assertThat(subscription.signaledAfter()).as("the reader waits forever").isNotNull();
    }
}
