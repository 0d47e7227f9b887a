package io.kubemirror.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/** Whoever sleeps is found, whoever comes and goes meanwhile. */
@Timeout(120)
class SubscriptionIndexTest {

    private static final int LOOKS = 50_000_000;

    private final SubscriptionIndex subscriptions = new SubscriptionIndex();

    /** The size of a concurrent map can be 0 for a moment while something is in it all the time. */
    @Test
    void filtered_sleeper_is_never_overlooked_while_others_enter_and_leave() throws Exception {
        Mirror mirror =
                new Mirror(
                        new Scope(new ResourceName("pods"), Selection.everything()),
                        Window.standard(),
                        _ -> {},
                        System::nanoTime);
        Subscription subscription = mirror.subscribe(new Interest.Everything(), () -> {});
        subscriptions.add(subscription, new Interest.Within("stays"));
        AtomicBoolean over = new AtomicBoolean();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<?>> others = new ArrayList<>();
            for (int pair = 0; pair < 2; pair++) {
                BlockingQueue<Interest> entered = new ArrayBlockingQueue<>(64);
                Interest.Within[] interests = new Interest.Within[1_000];
                Arrays.setAll(interests, i -> new Interest.Within("goes-" + i));
                others.add(threads.submit(() -> enter(subscription, interests, entered, over)));
                others.add(threads.submit(() -> leave(subscription, entered, over)));
            }
            int overlooked = 0;
            for (int look = 0; look < LOOKS; look++) {
                overlooked += subscriptions.hasFiltered() ? 0 : 1;
            }
            over.set(true);
            for (Future<?> other : others) {
                other.get();
            }
            assertThat(overlooked).isZero();
        }
    }

    private void enter(
            Subscription subscription,
            Interest[] interests,
            BlockingQueue<Interest> entered,
            AtomicBoolean over) {
        for (int i = 0; !over.get(); i = (i + 1) % interests.length) {
            subscriptions.add(subscription, interests[i]);
            while (!entered.offer(interests[i]) && !over.get()) {
                Thread.onSpinWait();
            }
        }
    }

    private void leave(
            Subscription subscription, BlockingQueue<Interest> entered, AtomicBoolean over) {
        while (!over.get()) {
            Interest gone = entered.poll();
            if (gone != null) {
                subscriptions.remove(subscription, gone);
            }
        }
    }
}
