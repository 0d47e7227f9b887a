package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;

/**
 * Tests the guarantees of the design ({@code src/docs/design.md}, "What tests must show") that
 * concern a mirror on seeded random histories with gaps.
 *
 * <p>A failure names its seed; run it alone with {@code -Dmirror.seed}.
 */
class MirrorHistoryTest {

    private static final int HISTORIES = 1_000;
    private static final int STEPS = 120;

    @Test
    void readers_that_apply_every_change_converge_to_the_server_state() throws Exception {
        RandomServer.runAll(HISTORIES, "mirror.seed", seed -> new History(seed).run());
    }

    @Test
    void concurrent_readers_miss_no_change_while_the_writer_runs() throws Exception {
        try (ExecutorService waker = Executors.newSingleThreadExecutor();
                ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
            Mirror mirror =
                    Mirrors.pods(new Window(64, 256, Duration.ofSeconds(75), 1 << 22), waker);
            MirrorWriter writer = Mirrors.writer(mirror, System::nanoTime);
            writer.resync().complete(new Revision("1"));
            int last = 20_000;
            List<Future<Map<ObjectKey, String>>> results =
                    HistoryReader.start(readers, 8, mirror, last);

            for (int revision = 2; revision <= last; revision++) {
                String path = "a/" + revision % 100;
                if (revision % 7 == 0) {
                    writer.delete(new ObjectKey(path), new Revision(Integer.toString(revision)));
                } else {
                    writer.upsert(object(path, revision));
                }
            }

            HistoryReader.assertConverged(results, List.of(writer));
        }
    }

    /**
     * A server that changes at random, a writer that may miss changes, and readers that connect and
     * disconnect.
     */
    private static final class History {

        private final Random random;
        private final Mirror mirror;
        private final RandomServer server;
        private final List<HistoryReader> readers = new ArrayList<>();
        private long nanos;

        History(long seed) {
            random = new Random(seed);
            int bytes = random.nextBoolean() ? 1 << 20 : 1 << 14;
            mirror = Mirrors.pods(new Window(8, 32, Duration.ofSeconds(75), bytes));
            MirrorWriter writer = Mirrors.writer(mirror, () -> nanos);
            server = new RandomServer(random, writer, 6);
        }

        void run() throws InterruptedException {
            for (int step = 0; step < STEPS; step++) {
                nanos += Duration.ofSeconds(random.nextInt(30)).toNanos();
                step(random.nextInt(100));
                if (server.isConnected()) {
                    assertFaithful();
                }
            }
            server.resynchronize();
            assertFaithful();
            assertThat(mirror.bytes())
                    .isEqualTo(
                            server.objects().values().stream()
                                    .mapToLong(object -> object.json().length)
                                    .sum());
            for (HistoryReader reader : readers) {
                reader.assertReaches(server.objects().values());
            }
        }

        /** The newest revision is stored even if readers are not signaled. */
        private void assertFaithful() {
            assertThat(mirror.snapshot().orElseThrow().objects())
                    .as("Faithful")
                    .containsExactlyElementsOf(server.objects().values());
            assertThat(mirror.snapshot(mirror.revision()).orElseThrow().objects())
                    .as("Faithful, asked for by revision")
                    .containsExactlyElementsOf(server.objects().values());
            assertThat(mirror.revision().digits()).isEqualTo(Long.toString(server.revision()));
        }

        private void step(int choice) throws InterruptedException {
            if (choice < 40) {
                server.change();
            } else if (choice < 48) {
                server.disconnect();
            } else if (choice < 56) {
                server.resynchronize();
            } else if (choice < 64) {
                server.bookmark();
            } else if (choice < 70) {
                connect();
            } else if (choice < 78) {
                aReader().reconnect();
            } else if (choice < 79) {
                // The mirror refuses clients that reconnect with a lost revision.
                server.restoreBackup(() -> {});
            } else {
                aReader().read(Duration.ZERO);
            }
        }

        private void connect() {
            readers.add(new HistoryReader(mirror, HistoryReader.anySelection(random)));
        }

        private HistoryReader aReader() {
            if (readers.isEmpty()) {
                connect();
            }
            return readers.get(random.nextInt(readers.size()));
        }
    }
}
