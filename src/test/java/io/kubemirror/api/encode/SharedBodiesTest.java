package io.kubemirror.api.encode;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.encode.SharedBodies.Parts;
import io.kubemirror.api.encode.SharedBodies.Share;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.model.MemoryBudget;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests who encodes, who shares, and what is charged. */
class SharedBodiesTest {

    private static final String KEY = "pods at 5";
    private static final int PARTS = 100;
    private static final int PART = 1_000;
    private static final long SIZE = PARTS * (PART + 32L);

    private final MemoryBudget clients = MemoryBudget.of(4 << 20);
    private final SharedBodies bodies = new SharedBodies(ClientMemory.of(clients));

    /** A budget that does not hold the whole body, and the bodies that draw on it. */
    private final MemoryBudget few = MemoryBudget.of(80_000);

    private final SharedBodies small = new SharedBodies(ClientMemory.of(few));
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger encoded = new AtomicInteger();
    private final byte[] body = new byte[PARTS * PART];

    SharedBodiesTest() {
        new Random(1).nextBytes(body);
    }

    @Test
    void lone_client_keeps_nothing_in_memory() {
        for (int i = 0; i < 2; i++) {
            try (Share only = join()) {
                assertThat(only.isShared()).isFalse();
                assertThat(read(only, PARTS)).isEqualTo(body);
                assertThat(clients.used()).isZero();
            }
        }
        assertThat(begun).hasValue(2);
    }

    @Test
    void two_hundred_clients_share_what_is_encoded_and_charged_once() throws Exception {
        Share first = join();
        CountDownLatch read = new CountDownLatch(200);
        CountDownLatch end = new CountDownLatch(1);
        List<Future<byte[]>> received = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 200; i++) {
                received.add(
                        threads.submit(
                                () -> {
                                    try (Share joined = join()) {
                                        byte[] all = read(joined, PARTS);
                                        read.countDown();
                                        end.await();
                                        return all;
                                    }
                                }));
            }
            read.await();
            assertThat(clients.used()).isEqualTo(SIZE);
            end.countDown();
        }
        for (Future<byte[]> one : received) {
            assertThat(one.get()).isEqualTo(body);
        }
        assertThat(encoded).hasValue(PARTS);
        assertThat(clients.used()).as("the first client encodes for itself").isEqualTo(SIZE);
        first.close();
        assertThat(clients.used()).isZero();
    }

    @Test
    void client_that_joins_later_gets_what_others_have_read() {
        try (Share first = join();
                Share quick = join()) {
            assertThat(read(first, 1)).hasSize(PART);
            byte[] half = read(quick, PARTS / 2);
            try (Share late = join()) {
                assertThat(read(late, PARTS)).isEqualTo(body).startsWith(half);
            }
            assertThat(read(quick, PARTS / 2)).hasSize(PARTS / 2 * PART);
            assertThat(quick.next()).isNull();
        }
        assertThat(encoded)
                .as("the first part of the first client, and all of them once")
                .hasValue(PARTS + 1);
        assertThat(clients.used()).isZero();
    }

    @Test
    void clients_of_something_else_share_nothing() {
        try (Share one = join();
                Share other = bodies.join("pods at 6", this::begin)) {
            assertThat(one.isShared()).isFalse();
            assertThat(other.isShared()).isFalse();
        }
    }

    @Test
    void slow_client_continues_alone_where_it_is_if_memory_is_short() {
        try (Share _ = small.join(KEY, this::begin);
                Share slow = small.join(KEY, this::begin);
                Share quick = small.join(KEY, this::begin)) {
            byte[] beginning = read(slow, 10);
            assertThat(read(quick, PARTS)).isEqualTo(body);
            assertThat(few.used()).isPositive().isLessThanOrEqualTo(40_000);

            assertThat(concat(beginning, read(slow, PARTS - 10))).isEqualTo(body);
            assertThat(slow.next()).isNull();
        }
        assertThat(few.used()).isZero();
    }

    @Test
    void client_takes_parts_until_it_wants_no_more() {
        try (Share first = join();
                Share second = join()) {
            assertThat(take(second, 3)).isEqualTo(Arrays.copyOf(body, 3 * PART));
            assertThat(encoded).as("nothing that is not wanted").hasValue(3);
            assertThat(take(first, PARTS)).isEqualTo(body);
            assertThat(concat(Arrays.copyOf(body, 3 * PART), take(second, PARTS))).isEqualTo(body);
            assertThat(take(second, 1)).isEmpty();
        }
        assertThat(encoded).hasValue(2 * PARTS);
    }

    @Test
    void client_that_joins_after_parts_were_dropped_begins_another_body() {
        try (Share _ = small.join(KEY, this::begin);
                Share second = small.join(KEY, this::begin)) {
            assertThat(read(second, PARTS)).isEqualTo(body);
            try (Share late = small.join(KEY, this::begin)) {
                assertThat(late.isShared()).isFalse();
                assertThat(read(late, PARTS)).isEqualTo(body);
            }
        }
        assertThat(few.used()).isZero();
    }

    @Test
    void clients_that_read_in_step_share_more_than_fits_into_memory() {
        try (Share _ = small.join(KEY, this::begin);
                Share one = small.join(KEY, this::begin);
                Share other = small.join(KEY, this::begin)) {
            for (int i = 0; i < PARTS; i++) {
                assertThat(read(one, 1)).isEqualTo(read(other, 1));
            }
        }
        assertThat(encoded).hasValue(PARTS);
    }

    @Test
    void client_is_served_without_any_memory_to_share() {
        MemoryBudget none = MemoryBudget.of(0);
        SharedBodies without = new SharedBodies(ClientMemory.of(none));
        try (Share _ = without.join(KEY, this::begin);
                Share one = without.join(KEY, this::begin);
                Share other = without.join(KEY, this::begin)) {
            assertThat(read(one, PARTS)).isEqualTo(body);
            assertThat(read(other, PARTS)).isEqualTo(body);
        }
        assertThat(none.used()).isZero();
    }

    @Test
    void client_shares_nothing_if_nothing_can_be_encoded() {
        try (Share _ = bodies.join(KEY, () -> null);
                Share second = bodies.join(KEY, () -> null)) {
            assertThat(second.isShared()).isFalse();
        }
    }

    @Test
    void encoding_ends_with_the_last_client() {
        Encoding encoding = new Encoding();
        Share first = bodies.join(KEY, () -> encoding);
        Share second = bodies.join(KEY, () -> encoding);
        assertThat(read(second, 1)).hasSize(PART);
        second.close();
        second.close();
        assertThat(encoding.closed).isZero();
        first.close();
        assertThat(encoding.closed).isOne();
    }

    private Share join() {
        return bodies.join(KEY, this::begin);
    }

    private Parts begin() {
        begun.incrementAndGet();
        return new Encoding();
    }

    private static byte[] read(Parts parts, int count) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            out.writeBytes(Objects.requireNonNull(parts.next()));
        }
        return out.toByteArray();
    }

    private static byte[] take(Parts parts, int count) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        parts.take(
                part -> {
                    out.writeBytes(part);
                    return out.size() < count * PART;
                });
        return out.toByteArray();
    }

    private static byte[] concat(byte[] one, byte[] other) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(one);
        out.writeBytes(other);
        return out.toByteArray();
    }

    /** Encodes the body, and counts the parts. */
    private final class Encoding implements Parts {

        private int position;
        private int closed;

        @Override
        public byte @Nullable [] next() {
            if (position == body.length) {
                return null;
            }
            encoded.incrementAndGet();
            byte[] part = new byte[PART];
            System.arraycopy(body, position, part, 0, PART);
            position += PART;
            return part;
        }

        @Override
        public void close() {
            closed++;
        }
    }
}
