package io.kubemirror.feature.disk;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.feature.disk.PersistenceFixture.Setup;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.scripted.ServedTypes;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/** Tests mirrors that come back while the file of the one before is still in use, and cuts. */
@Timeout(120)
class StoreRaceTest {

    private static final int CHANGES = 600;

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

    @Test
    void file_of_a_removed_mirror_is_not_removed_under_the_one_in_its_place() throws Exception {
        PersistenceFixture process = setup().start().list(5, object("a/x", 5)).stored();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        process.whileWriting(
                () -> {
                    held.countDown();
                    await(goOn);
                });
        Thread holder = Thread.ofPlatform().start(() -> process.writer().upsert(object("a/y", 6)));
        await(held);
        remove(process.mirror());
        Thread removing = Thread.ofPlatform().start(process::store);
        Awaitility.await()
                .atMost(WaitLimit.GENEROUS)
                .until(() -> removing.getState() == Thread.State.WAITING);

        MirrorWriter present = process.empty(ServedTypes.CONFIGMAPS);
        CompletableFuture<Void> filled = process.fill(present);
        goOn.countDown();
        holder.join();
        removing.join();
        filled.join();

        assertThat(process.files().isEmpty()).isEqualTo(present.mirror().snapshot().isEmpty());
        present.resync().complete(new Revision("7"));
        process.stored().kill();
        assertThat(setup().at(process.now()).start().mirror().revision())
                .isEqualTo(new Revision("7"));
    }

    /**
     * The watch after a restart begins at the revision of the file, and brings no update before.
     */
    @Test
    void hidden_update_is_restored_with_every_later_revision() throws IOException {
        Setup setup = setup().hiding().with(new Window(4, 4_096, Duration.ofHours(1), 8 << 20));
        PersistenceFixture killed = setup.start().list(10, object("a/x", 10)).stored();
        long begun = Files.size(killed.file());
        killed.writer().upsert(object("a/x", 11));
        for (int i = 0; i < CHANGES; i++) {
            killed.writer().upsert(object("a/new" + i, 12 + 2 * i));
            killed.writer().upsert(object("a/new0", 13 + 2 * i));
        }
        killed.store();
        killed.kill();
        long end = Files.size(killed.file());
        assertThat(end).isGreaterThan(begun);

        try (RandomAccessFile file = new RandomAccessFile(killed.file().toFile(), "rw")) {
            file.setLength(end - 1);
        }
        Mirror restored = setup.at(killed.now()).start().mirror();

        assertThat(restored.revision()).isGreaterThan(new Revision("11"));
        assertThat(restored.snapshot().orElseThrow().get(new ObjectKey("a/x")))
                .hasValueSatisfying(
                        one -> assertThat(one.revision()).isEqualTo(new Revision("11")));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
