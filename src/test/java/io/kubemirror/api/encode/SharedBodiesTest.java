package io.kubemirror.api.encode;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.memory.MemoryBudget;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Tests who compresses, who shares, and what is charged. */
class SharedBodiesTest {

    private static final EntityTag TAG = new EntityTag("list");

    private final MemoryBudget clients = MemoryBudget.ofProcess(4 << 20);
    private final SharedBodies bodies = new SharedBodies(ClientMemory.of(clients));
    private final AtomicInteger written = new AtomicInteger();
    private final CountDownLatch ready = new CountDownLatch(200);
    private volatile long mostCharged;
    private final byte[] body = new byte[300_000];

    SharedBodiesTest() {
        new Random(1).nextBytes(body);
    }

    @Test
    void lone_client_keeps_nothing_in_memory() {
        try (SharedBodies.Body only = bodies.join(TAG)) {
            assertThat(only.parts(this::write)).isNull();
        }
        try (SharedBodies.Body next = bodies.join(TAG)) {
            assertThat(next.parts(this::write)).as("the first one has been served").isNull();
        }
        assertThat(written).hasValue(0);
        assertThat(clients.used()).isZero();
    }

    @Test
    void clients_that_join_share_one_body_that_is_charged_once() throws Exception {
        SharedBodies.Body first = bodies.join(TAG);
        List<Future<byte[]>> received = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 200; i++) {
                received.add(threads.submit(this::receive));
            }
        }
        for (Future<byte[]> one : received) {
            assertThat(one.get()).isEqualTo(body);
        }
        assertThat(written).hasValue(1);
        assertThat(mostCharged).isBetween(300_000L, 300_000L + 64 * 1024);
        first.close();
        assertThat(clients.used()).isZero();
    }

    @Test
    void slow_client_holds_what_it_shares_until_it_has_been_served() {
        SharedBodies.Body slow = bodies.join(TAG);
        SharedBodies.Body quick = bodies.join(TAG);
        assertThat(slow.parts(this::write)).isSameAs(quick.parts(this::write));
        quick.release();
        quick.close();
        assertThat(clients.used()).isPositive();
        slow.release();
        slow.close();
        assertThat(clients.used()).isZero();
    }

    @Test
    void client_that_compresses_for_itself_does_not_hold_what_others_share() {
        SharedBodies.Body alone = bodies.join(TAG);
        assertThat(alone.parts(this::write)).isNull();
        try (SharedBodies.Body other = bodies.join(TAG)) {
            assertThat(other.parts(this::write)).isNotNull();
            other.release();
        }
        assertThat(clients.used()).isZero();
        alone.close();
    }

    @Test
    void other_document_is_not_shared() {
        try (SharedBodies.Body one = bodies.join(TAG);
                SharedBodies.Body other = bodies.join(new EntityTag("another list"))) {
            assertThat(one.parts(this::write)).isNull();
            assertThat(other.parts(this::write)).isNull();
        }
    }

    @Test
    void body_that_does_not_fit_is_tried_once_and_not_kept() {
        ClientMemory small = ClientMemory.of(MemoryBudget.ofProcess(200_000));
        SharedBodies few = new SharedBodies(small);
        try (SharedBodies.Body one = few.join(TAG);
                SharedBodies.Body other = few.join(TAG)) {
            assertThat(one.parts(this::write)).isNull();
            assertThat(other.parts(this::write)).isNull();
            assertThat(written).hasValue(1);
            assertThat(small.responses().used()).isZero();
        }
        assertThat(small.responses().used()).isZero();
    }

    private byte[] receive() throws InterruptedException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (SharedBodies.Body joined = bodies.join(TAG)) {
            Objects.requireNonNull(joined.parts(this::write)).forEach(out::writeBytes);
            mostCharged = clients.used();
            ready.countDown();
            ready.await();
            joined.release();
        }
        return out.toByteArray();
    }

    private void write(OutputStream out) throws IOException {
        written.incrementAndGet();
        for (int i = 0; i < body.length; i += 1_000) {
            out.write(body, i, 1_000);
        }
    }
}
