package io.kubemirror.mirror;

import io.kubemirror.model.Selection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;

/** Readers on virtual threads that follow a mirror, as open watches do, but write nothing. */
final class Crowd implements AutoCloseable {

    private static final Duration LONG = Duration.ofDays(1);

    private final Mirror mirror;
    private final List<Thread> readers = new ArrayList<>();
    private volatile CountDownLatch expected = new CountDownLatch(0);

    /**
     * Readers of a mirror, all asleep.
     *
     * @param size how many
     * @param selection what each follows
     */
    Crowd(Mirror mirror, int size, IntFunction<Selection> selection) {
        this.mirror = mirror;
        for (int i = 0; i < size; i++) {
            Selection selected = selection.apply(i);
            readers.add(Thread.ofVirtual().start(() -> follow(selected)));
        }
        while (readers.stream().anyMatch(reader -> !isAsleep(reader))) {
            Thread.onSpinWait();
        }
    }

    private static boolean isAsleep(Thread reader) {
        return reader.getState() == Thread.State.TIMED_WAITING;
    }

    private void follow(Selection selection) {
        Interest interest = Interest.of(selection);
        Cursor cursor = mirror.position().orElseThrow().cursor();
        try {
            while (true) {
                cursor = next(mirror.read(cursor, interest, LONG), selection);
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private Cursor next(Reading reading, Selection selection) {
        return switch (reading) {
            case Reading.Progress(List<LoggedChange> changes, Cursor next) -> {
                changes.stream()
                        .filter(logged -> selection.view(logged.change()).isPresent())
                        .forEach(_ -> expected.countDown());
                yield next;
            }
            case Reading.Expired _ -> throw new IllegalStateException("a reader was too slow");
            case Reading.Ended _ -> throw new IllegalStateException("the history has ended");
        };
    }

    /** Waits until a change has come to all that it concerns. */
    void receive(int receipts, Runnable change) throws InterruptedException {
        CountDownLatch all = new CountDownLatch(receipts);
        expected = all;
        change.run();
        all.await();
    }

    @Override
    public void close() {
        readers.forEach(Thread::interrupt);
    }
}
