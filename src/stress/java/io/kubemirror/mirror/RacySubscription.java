package io.kubemirror.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/**
 * A subscription with a known race, as a control: its notifier tests and then assigns, as {@link
 * Subscription} once did. If the explorer does not find the race, its other results mean nothing.
 */
final class RacySubscription implements ConcurrentScenario {

    private volatile Cursor newest = cursor(10);
    private volatile Cursor looked = newest;
    private volatile @Nullable Cursor call = newest;
    private Cursor read = newest;

    private static Cursor cursor(int revision) {
        return new Cursor(new Revision(Integer.toString(revision)), 0);
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::write, this::read);
    }

    /** The writer and the notifier, whose second round signals what the first did not. */
    private void write() {
        for (int revision = 11; revision <= 12; revision++) {
            newest = cursor(revision);
            ring(looked);
            looked = newest;
        }
    }

    private void ring(Cursor after) {
        if (call == null) {
            call = after;
        }
    }

    private boolean sleep() {
        call = null;
        if (newest.revision().isAfter(read.revision())) {
            call = read;
            return false;
        }
        return true;
    }

    private Cursor wakeUp() {
        Cursor until = looked;
        Cursor called = call;
        call = read;
        return read.latest(called == null ? until : called);
    }

    private void read() {
        if (!sleep()) {
            assertThat(wakeUp()).as("it did not sleep, so it skips nothing").isEqualTo(read);
        }
    }

    @Override
    public void verify() {
        // The reader has checked what it got.
    }
}
