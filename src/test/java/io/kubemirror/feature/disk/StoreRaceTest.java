package io.kubemirror.feature.disk;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.feature.disk.PersistenceFixture.Setup;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SteadyClock;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests mirrors that come back while the file of the one before is still in use, and cuts. */
class StoreRaceTest {

    @TempDir Path directory;

    private Setup setup() {
        return new Setup(directory);
    }

    private static Path file(PersistenceFixture process) {
        return process.files().stream().filter(Files::isRegularFile).findFirst().orElseThrow();
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
        CompletableFuture<?> slow = process.fill(before);
        await(reading);
        remove(before.mirror());
        MirrorWriter present = process.empty(ServedTypes.CONFIGMAPS);
        CompletableFuture<?> filled = process.fill(present);
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
    void writer_that_replaces_the_content_waits_for_no_file() throws Exception {
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch hanging = new CountDownLatch(1);
        PersistenceFixture process = setup().start().list(5).stored();
        process.whileStoring(
                () -> {
                    writing.countDown();
                    await(hanging);
                });
        process.writer().upsert(object("a/x", 6));
        Thread storing = Thread.ofVirtual().start(process::store);
        await(writing);

        process.list(8, object("a/y", 7));

        assertThat(process.mirror().revision()).isEqualTo(new Revision("8"));
        Path seen = Files.createDirectory(directory.resolve("seen"));
        Files.copy(file(process), seen.resolve(file(process).getFileName()));
        assertThat(setup().in(seen).at(process.now()).start().mirror().snapshot())
                .as("readers have seen other content")
                .isEmpty();
        hanging.countDown();
        storing.join();
    }

    /** A mirror on demand may return before its file has been removed. */
    @Test
    void file_of_a_removed_mirror_is_not_removed_when_it_has_returned() throws Exception {
        PersistenceFixture process = setup().start().list(5, object("a/x", 5)).stored();
        MirrorWriter present = process.empty(ServedTypes.CONFIGMAPS);
        remove(process.mirror());
        process.fill(present).join();
        assertThat(present.mirror().revision()).isEqualTo(new Revision("5"));

        process.store();
        present.upsert(object("a/y", 6));
        process.store().kill();

        Mirror restored = setup().at(process.now()).start().mirror();
        assertThat(restored.revision()).isEqualTo(new Revision("6"));
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
