package io.kubemirror.feature.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import module java.base;
import module java.management;

import com.sun.management.GarbageCollectionNotificationInfo;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;

class HeapGrowthTest {

    private static final long MEGABYTE = 1 << 20;
    private static final MemoryPoolMXBean OLD =
            ManagementFactory.getMemoryPoolMXBeans().stream()
                    .filter(pool -> pool.getName().equals("Tenured Gen"))
                    .findFirst()
                    .orElseThrow();

    private final FakePool pool = new FakePool();
    private final FakeEmitter memory = new FakeEmitter();
    private final FakeEmitter collector = new FakeEmitter();

    @AfterEach
    void noThreshold() {
        OLD.setUsageThreshold(0);
    }

    @Test
    void theHeapMayDoubleBeforeItIsCollected() {
        limit(100, 200 * MEGABYTE);

        assertThreshold(200, 400);
    }

    @Test
    void aSmallHeapGrowsBySixteenMegabytesFirst() {
        limit(100, 5 * MEGABYTE);

        assertThreshold(5, 21);
    }

    @Test
    void thePercentageIsThatOfTheConfiguration() {
        limit(50, 200 * MEGABYTE);

        assertThreshold(200, 300);
    }

    @Test
    void theThresholdIsWithinTheHeap() {
        limit(100, 900 * MEGABYTE);

        assertThreshold(900, 1000);
    }

    @Test
    void theNextGrowthCountsFromWhatIsAliveThen() {
        limit(100, 40 * MEGABYTE);
        pool.used = 80 * MEGABYTE;

        memory.send(MemoryNotificationInfo.MEMORY_THRESHOLD_EXCEEDED);

        assertEquals(1, pool.collections);
        assertThreshold(30, 60);
    }

    @Test
    void growthCountsFromACollectionThatSomethingElseHasCaused() {
        limit(100, 900 * MEGABYTE);
        pool.used = 30 * MEGABYTE;

        collector.send(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION);

        assertThreshold(30, 60);
    }

    @Test
    void otherNotificationsCollectNothing() {
        limit(100, 40 * MEGABYTE);

        memory.send(MemoryNotificationInfo.MEMORY_COLLECTION_THRESHOLD_EXCEEDED);

        assertEquals(0, pool.collections);
    }

    @Test
    void theSerialCollectorOfTheJvmNotifies() throws Exception {
        CountDownLatch collected = new CountDownLatch(1);
        MemoryMXBean jvm = ManagementFactory.getMemoryMXBean();
        new HeapGrowth(OLD, 100, collected::countDown)
                .limit((NotificationEmitter) jvm, new FakeEmitter());

        OLD.setUsageThreshold(1);
        jvm.gc();

        assertTrue(collected.await(30, TimeUnit.SECONDS));
    }

    private void limit(int percent, long used) {
        pool.used = used;
        new HeapGrowth(pool.bean(), percent, pool::collect).limit(memory, collector);
    }

    private void assertThreshold(long usedMegabytes, long thresholdMegabytes) {
        assertEquals(usedMegabytes, pool.used / MEGABYTE);
        assertEquals(thresholdMegabytes, Math.ceilDiv(pool.threshold, MEGABYTE));
    }

    private final class FakePool {

        private static final long MAX = 1000 * MEGABYTE;
        private static final long ALIVE = 30 * MEGABYTE;

        private long used;
        private long threshold;
        private int collections;

        void collect() {
            collections++;
            used = ALIVE;
            collector.send(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION);
        }

        MemoryPoolMXBean bean() {
            return (MemoryPoolMXBean)
                    Proxy.newProxyInstance(
                            getClass().getClassLoader(),
                            new Class<?>[] {MemoryPoolMXBean.class},
                            (_, method, arguments) -> answer(method.getName(), arguments));
        }

        private @Nullable Object answer(String method, @Nullable Object @Nullable [] arguments) {
            return switch (method) {
                case "getUsage" -> new MemoryUsage(0, used, MAX, MAX);
                case "setUsageThreshold" -> {
                    threshold = (long) Objects.requireNonNull(arguments)[0];
                    yield null;
                }
                default -> throw new UnsupportedOperationException(method);
            };
        }
    }

    private static final class FakeEmitter extends NotificationBroadcasterSupport {

        void send(String type) {
            sendNotification(new Notification(type, this, 0));
        }
    }
}
