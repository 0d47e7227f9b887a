package io.kubemirror.feature.disk;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.feature.disk.PersistenceFixture.Setup;
import io.kubemirror.feature.disk.StoredHistory.StoreHeader;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Resync;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SteadyClock;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests mirrors that come back while the file of the one before is still in use, and cuts. */
@Timeout(120)
class StoreRaceTest {

    @TempDir Path directory;

    private Setup setup() {
        return new Setup(directory);
    }

    private static void remove(Mirror mirror) {
        MirrorSet mirrors = new MirrorSet();
        mirrors.update(List.of(mirror));
        mirrors.update(List.of());
    }

    /** A disk may be slower than the end of a mirror waits. */
    @Test
    void mirror_that_returns_while_the_file_of_the_one_before_is_read_is_stored() throws Exception {
        PersistenceFixture killed = setup().start().list(5, object("a/x", 5)).stored();
        killed.kill();
        PersistenceFixture process = setup().at(killed.now()).start();
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        process.whileStoring(
                () -> {
                    if (first.getAndSet(false)) {
                        reading.countDown();
                        await(goOn);
                    }
                });
        MirrorWriter before = process.empty(ServedTypes.CONFIGMAPS);
        CompletableFuture<Void> slow = process.fill(before);
        await(reading);
        remove(before.mirror());
        MirrorWriter present = process.empty(ServedTypes.CONFIGMAPS);
        CompletableFuture<Void> filled = process.fill(present);
        try {
            filled.get(100, TimeUnit.MILLISECONDS);
        } catch (TimeoutException _) {
            // It waits for the one before.
        }
        goOn.countDown();
        slow.join();
        filled.join();

        if (present.mirror().snapshot().isEmpty()) {
            present.resync().complete(new Revision("5"));
        }
        present.upsert(object("a/y", 6));
        process.stored().kill();

        Mirror restored = setup().at(process.now()).start().mirror();
        assertThat(restored.revision()).isEqualTo(new Revision("6"));
    }

    /** A disk may hang for ever. */
    @Test
    void writer_that_replaces_the_content_waits_for_no_file() throws IOException {
        CountDownLatch hanging = new CountDownLatch(1);
        AtomicBoolean hangs = new AtomicBoolean();
        Instant now = Instant.parse("2026-01-01T00:00:00Z");
        PersistenceFixture process = setup().start();
        MirrorWriter writer = process.empty(ServedTypes.CONFIGMAPS);
        StoredMirror stored =
                stored(
                        writer,
                        () -> {
                            if (hangs.get()) {
                                await(hanging);
                            }
                            return true;
                        });
        writer.resync().complete(new Revision("5"));
        stored.store(now, Long.MAX_VALUE);
        hangs.set(true);

        Resync gap = writer.resync();
        gap.add(object("a/x", 6));
        gap.complete(new Revision("7"));

        assertThat(writer.mirror().revision()).isEqualTo(new Revision("7"));
        StoredMirror next = stored(process.empty(ServedTypes.CONFIGMAPS), () -> true);
        assertThatThrownBy(() -> next.restore(now))
                .as("readers have seen other content")
                .hasMessageContaining("its content was replaced");
        hanging.countDown();
    }

    private StoredMirror stored(MirrorWriter writer, BooleanSupplier owned) {
        return new StoredMirror(
                writer,
                directory.resolve("configmaps.mirror"),
                new StoreHeader.Owner("1.0", "https://one", ""),
                owned,
                new SteadyClock(InstantSource.system(), InstantSource.system()),
                () -> 0,
                MemoryBudget.unlimited(),
                new StoreCounts());
    }

    private static void await(CountDownLatch latch) {
        Unchecked.run(() -> latch.await());
    }

    /** An error of the JVM in one round, such as one of its memory, is none of the next. */
    @Test
    void error_does_not_end_the_thread_that_stores() throws Exception {
        AtomicBoolean armed = new AtomicBoolean();
        CountDownLatch failed = new CountDownLatch(1);
        CountDownLatch again = new CountDownLatch(1);
        MirrorPersistence persistence =
                new MirrorPersistence(
                        directory,
                        Long.MAX_VALUE,
                        "test",
                        MemoryBudget.unlimited(),
                        new SteadyClock(
                                () -> {
                                    if (armed.getAndSet(false)) {
                                        failed.countDown();
                                        throw new StackOverflowError();
                                    }
                                    if (failed.getCount() == 0) {
                                        again.countDown();
                                    }
                                    return Instant.EPOCH;
                                },
                                InstantSource.system()),
                        System::nanoTime);
        armed.set(true);
        persistence.start();
        try {
            assertThat(again.await(1, TimeUnit.MINUTES)).isTrue();
        } finally {
            persistence.stop();
        }
    }
}
