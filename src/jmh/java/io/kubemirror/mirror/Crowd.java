package io.kubemirror.mirror;

import io.kubemirror.model.Selection;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Readers that follow a mirror on a few threads, as open watches do, but write nothing. */
final class Crowd implements AutoCloseable {

    private final Mirror mirror;
    private final ExecutorService threads =
            Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
    private final List<Reader> readers;
    private volatile CountDownLatch expected = new CountDownLatch(0);

    /**
     * Readers of a mirror, all asleep.
     *
     * @param size how many
     * @param selection what each follows
     */
    Crowd(Mirror mirror, int size, IntFunction<Selection> selection) {
        this.mirror = mirror;
        readers = IntStream.range(0, size).mapToObj(i -> new Reader(selection.apply(i))).toList();
        readers.forEach(Reader::follow);
    }

    private final class Reader {

        private final Selection selection;
        private final Sleeper sleeper;
        private Cursor cursor = mirror.position().orElseThrow().cursor();

        private Reader(Selection selection) {
            this.selection = selection;
            this.sleeper =
                    mirror.sleeper(Interest.of(selection), () -> threads.execute(this::follow));
        }

        private synchronized void follow() {
            do {
                cursor = next(mirror.read(sleeper.wakeUp(cursor)), selection);
            } while (!sleeper.sleep(cursor));
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
            case Reading.Gap gap -> throw new IllegalStateException(gap.toString());
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
        readers.forEach(reader -> reader.sleeper.close());
        threads.shutdownNow();
    }
}
