package io.kubemirror.testing;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.Subscription;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

/**
 * A local watcher that never lists again. It applies every change to the state it began with, and
 * fails on anything that a client must not see.
 */
public final class FoldingWatcher {

    private final Mirror mirror;
    private final Map<String, String> state = new TreeMap<>();
    private final List<String> seen = new ArrayList<>();
    private Cursor cursor;

    /** Begins with the present state of a synchronized mirror. */
    public FoldingWatcher(Mirror mirror) {
        this.mirror = mirror;
        Mirror.Position position = mirror.position().orElseThrow();
        position.snapshot()
                .objects()
                .forEach(object -> state.put(object.key().path(), object.revision().digits()));
        this.cursor = position.cursor();
    }

    /** The events so far, such as {@code ADDED a/x}, in order. */
    public List<String> seen() {
        return List.copyOf(seen);
    }

    /**
     * Reads until the state is the given one.
     *
     * @param truth the revisions of all objects by path
     */
    public void readUntil(Map<String, String> truth) {
        long deadline = System.nanoTime() + WaitLimit.GENEROUS.toNanos();
        while (!state.equals(truth)) {
            Duration left = Duration.ofNanos(deadline - System.nanoTime());
            assertThat(left.isPositive())
                    .as("the mirror becomes %s in time; so far %s by %s", truth, state, seen)
                    .isTrue();
            read(left);
        }
    }

    /** Reads the available changes without waiting. */
    public void readNow() {
        read(Duration.ZERO);
    }

    /** Reads until the stream ends cleanly, which requires a new list. */
    public void readToTheEnd() {
        long deadline = System.nanoTime() + WaitLimit.GENEROUS.toNanos();
        Reading reading = next(WaitLimit.GENEROUS);
        while (reading instanceof Reading.Progress progress) {
            follow(progress);
            Duration left = Duration.ofNanos(deadline - System.nanoTime());
            assertThat(left.isPositive()).as("the stream ends in time").isTrue();
            reading = next(left);
        }
        assertThat(reading).isEqualTo(new Reading.Ended());
    }

    private void read(Duration patience) {
        Reading reading = next(patience);
        assertThat(reading).as("an undisturbed watch").isInstanceOf(Reading.Progress.class);
        follow((Reading.Progress) reading);
    }

    /** What comes after the cursor, possibly nothing after the timeout. */
    private Reading next(Duration patience) {
        Semaphore bell = new Semaphore(0);
        try (Subscription subscription = mirror.subscribe(Selection.everything(), bell::release)) {
            if (subscription.arm(cursor)) {
                var _ =
                        Unchecked.<Boolean>call(
                                () -> bell.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS));
            }
            return mirror.read(subscription.disarm(cursor));
        }
    }

    private void follow(Reading.Progress progress) {
        Revision before = cursor.revision();
        for (LoggedChange logged : progress.changes()) {
            Revision next = logged.change().revision();
            assertThat(next.follows(before)).as("Ordered, Unique").isTrue();
            before = next;
            apply(logged.change());
        }
        cursor = progress.next();
    }

    private void apply(Change change) {
        seen.add(
                change.getClass().getSimpleName().toUpperCase(Locale.ROOT)
                        + " "
                        + change.key().path());
        KubeObject previous =
                switch (change) {
                    case Change.Added _ -> null;
                    case Change.Modified modified -> modified.previous();
                    case Change.Deleted deleted -> deleted.previous();
                };
        String path = change.key().path();
        String known =
                change instanceof Change.Deleted
                        ? state.remove(path)
                        : state.put(path, change.latest().revision().digits());
        // Only a deletion that shares its revision may be repeated.
        if (known == null && change instanceof Change.Deleted && change.revision().part() > 0) {
            return;
        }
        assertThat(known)
                .as("%s as the client knew it", path)
                .isEqualTo(previous == null ? null : previous.revision().digits());
    }
}
