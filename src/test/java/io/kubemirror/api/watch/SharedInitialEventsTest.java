package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.encode.SharedBodies;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.watch.Watch.NextStep;
import io.kubemirror.api.watch.WatchConnection.EndReason;
import io.kubemirror.api.watch.WatchProperties.BatchProperties;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;

/** Tests which watches share their initial events. */
class SharedInitialEventsTest {

    private static final int OBJECTS = 20;
    private static final int BATCH = 5;

    private final Mirror mirror = Mirrors.pods();
    private final MirrorWriter writer = Mirrors.writer(mirror, System::nanoTime);
    private final MemoryBudget clients = MemoryBudget.of(1 << 20);
    private final SharedBodies bodies = new SharedBodies(ClientMemory.of(clients));

    SharedInitialEventsTest() {
        ApiSamples.synchronize(writer, 10);
        for (int i = 0; i < OBJECTS; i++) {
            writer.upsert(ApiSamples.object("a", "pod-" + (char) ('a' + i), 20 + i));
        }
    }

    @Test
    void watches_that_begin_with_the_same_state_share_its_events() {
        try (OpenWatch first = watch();
                OpenWatch second = watch();
                OpenWatch third = watch()) {
            List<byte[]> alone = send(first);
            List<byte[]> encoded = send(second);
            assertThat(clients.used()).isPositive();
            for (int i = 0; i < BATCH; i++) {
                assertThat(encoded.get(i)).isEqualTo(alone.get(i)).isNotSameAs(alone.get(i));
            }
            List<byte[]> shared = rest(third);
            assertThat(shared).hasSize(OBJECTS);
            for (int i = 0; i < BATCH; i++) {
                assertThat(shared.get(i)).isSameAs(encoded.get(i));
            }
            assertThat(texts(rest(second))).isEqualTo(texts(shared).subList(BATCH, OBJECTS));
            assertThat(texts(rest(first))).isEqualTo(texts(shared).subList(BATCH, OBJECTS));
        }
        assertThat(clients.used()).isZero();
    }

    @Test
    void watch_that_has_sent_its_initial_events_holds_none_of_them() {
        try (OpenWatch first = watch();
                OpenWatch second = watch()) {
            assertThat(send(first)).hasSize(BATCH);
            assertThat(rest(second)).hasSize(OBJECTS);
            assertThat(clients.used()).as("until the first one is done").isPositive();
            assertThat(rest(first)).hasSize(OBJECTS - BATCH);
            assertThat(clients.used()).isZero();
        }
    }

    @Test
    void watch_that_ends_while_it_is_writing_holds_none_of_them() {
        try (OpenWatch first = watch();
                OpenWatch second = watch()) {
            assertThat(send(first)).hasSize(BATCH);
            assertThat(send(second)).hasSize(BATCH);
            first.watch().requestEnd();
            first.watch().releaseIfStopping();
            assertThat(clients.used()).isPositive();
            second.watch().requestEnd();
            second.watch().releaseIfStopping();
            assertThat(clients.used()).isZero();
        }
    }

    private OpenWatch watch() {
        BatchProperties limits = new BatchProperties(BATCH, Duration.ZERO);
        return new OpenWatch(
                Watches.watch(
                        Watches.wanted(mirror, Selection.everything()),
                        Watches.frames(bodies),
                        new WatchPhase.Initial(mirror.position().orElseThrow(), false),
                        Watches.schedule(false, limits),
                        () -> {}));
    }

    /** Ends its watch. */
    private record OpenWatch(Watch watch) implements AutoCloseable {

        NextStep next() {
            return watch.next();
        }

        @Override
        public void close() {
            watch.end(EndReason.CLOSED);
        }
    }

    /** Returns the next batch. */
    private static List<byte[]> send(OpenWatch watch) {
        return ((NextStep.Send) watch.next()).batch().frames();
    }

    /** Returns all batches until the watch waits. */
    private static List<byte[]> rest(OpenWatch watch) {
        List<byte[]> sent = new ArrayList<>();
        while (watch.next() instanceof NextStep.Send(FrameBatch batch)) {
            sent.addAll(batch.frames());
        }
        return sent;
    }

    private static List<String> texts(List<byte[]> frames) {
        return frames.stream().map(frame -> new String(frame, StandardCharsets.UTF_8)).toList();
    }
}
