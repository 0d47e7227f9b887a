package io.kubemirror.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.Mirrors;

/** Filtered subscriptions are added and removed: the notifier counts the one that stays. */
final class CountedSubscriptions implements ConcurrentScenario {

    private final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    Mirrors.window(),
                    Mirrors.READS,
                    _ -> {},
                    System::nanoTime);
    private final Notifier notifier = new Notifier(_ -> {}, mirror::view, mirror.view().cursor());
    private final Subscription subscription = mirror.subscribe(Selection.everything(), () -> {});

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(
                () -> notifier.add(subscription, within("stays")),
                () -> subscribeAndClose("one"),
                () -> subscribeAndClose("other"));
    }

    private static Selection within(String namespace) {
        return KubeObjects.selection(namespace, "", "");
    }

    private void subscribeAndClose(String namespace) {
        notifier.add(subscription, within(namespace));
        assertThat(notifier.hasSubscriptions()).isTrue();
        notifier.remove(subscription, within(namespace));
    }

    @Override
    public void verify() {
        assertThat(notifier.hasSubscriptions()).isTrue();
        notifier.remove(subscription, within("stays"));
        assertThat(notifier.hasSubscriptions()).isFalse();
    }
}
