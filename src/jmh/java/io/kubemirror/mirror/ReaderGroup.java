package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.model.Selection;

/** Readers that follow a mirror on a few threads, as open watches do, but write nothing. */
final class ReaderGroup implements AutoCloseable {

    private final Mirror mirror;
    private final ExecutorService threads =
            Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
    private final List<GroupReader> readers;
    private volatile CountDownLatch expected = new CountDownLatch(0);

    /**
     * Readers of a mirror, all asleep.
     *
     * @param size how many
     * @param selection what each follows
     */
    ReaderGroup(Mirror mirror, int size, IntFunction<Selection> selection) {
        this.mirror = mirror;
        readers =
                IntStream.range(0, size)
                        .mapToObj(i -> new GroupReader(selection.apply(i)))
                        .toList();
        readers.forEach(GroupReader::follow);
    }

    private final class GroupReader {

        private final Selection selection;
        private final Subscription subscription;
        private Cursor cursor = mirror.position().orElseThrow().cursor();

        private GroupReader(Selection selection) {
            this.selection = selection;
            this.subscription = mirror.subscribe(selection, () -> threads.execute(this::follow));
        }

        private synchronized void follow() {
            do {
                cursor = next(mirror.read(subscription.disarm(cursor)), selection);
            } while (!subscription.arm(cursor));
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

    /** Waits until every reader that a change concerns has it. */
    void receive(int receipts, Runnable change) throws InterruptedException {
        CountDownLatch all = new CountDownLatch(receipts);
        expected = all;
        change.run();
        all.await();
    }

    @Override
    public void close() {
        readers.forEach(reader -> reader.subscription.close());
        threads.shutdownNow();
    }
}
