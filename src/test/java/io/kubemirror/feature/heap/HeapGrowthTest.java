package io.kubemirror.feature.heap;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;
import module java.management;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.HotSpotDiagnosticMXBean;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;

class HeapGrowthTest {

    private static final long MEGABYTE = 1 << 20;
    private static final MemoryPoolMXBean OLD =
            ManagementFactory.getMemoryPoolMXBeans().stream()
                    .filter(pool -> pool.getName().equals(HeapConfiguration.OLD_OBJECTS))
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
    void heap_may_double_before_it_is_collected() {
        limit(100, 200 * MEGABYTE);

        assertThreshold(200, 400);
    }

    @Test
    void small_heap_grows_by_sixteen_megabytes_first() {
        limit(100, 5 * MEGABYTE);

        assertThreshold(5, 21);
    }

    @Test
    void percentage_is_that_of_the_configuration() {
        limit(50, 200 * MEGABYTE);

        assertThreshold(200, 300);
    }

    @Test
    void threshold_is_within_the_heap() {
        limit(100, 900 * MEGABYTE);

        assertThreshold(900, 1000);
    }

    @Test
    void next_growth_counts_from_what_is_alive_then() {
        limit(100, 40 * MEGABYTE);
        pool.used = 80 * MEGABYTE;

        memory.send(MemoryNotificationInfo.MEMORY_THRESHOLD_EXCEEDED);

        assertThat(pool.collections).isEqualTo(1);
        assertThreshold(30, 60);
    }

    @Test
    void growth_counts_from_a_collection_that_something_else_has_caused() {
        limit(100, 900 * MEGABYTE);
        pool.used = 30 * MEGABYTE;

        collector.send(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION);

        assertThreshold(30, 60);
    }

    @Test
    void other_notifications_collect_nothing() {
        limit(100, 40 * MEGABYTE);

        memory.send(MemoryNotificationInfo.MEMORY_COLLECTION_THRESHOLD_EXCEEDED);

        assertThat(pool.collections).isZero();
    }

    @Test
    void serial_collector_of_the_jvm_notifies() throws Exception {
        CountDownLatch collected = new CountDownLatch(1);
        MemoryMXBean jvm = ManagementFactory.getMemoryMXBean();
        new HeapGrowth(OLD, 100, collected::countDown)
                .limit((NotificationEmitter) jvm, new FakeEmitter());

        OLD.setUsageThreshold(1);
        jvm.gc();

        assertThat(collected.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void collector_of_old_objects_has_the_name_that_the_configuration_looks_for() {
        assertThat(ManagementFactory.getGarbageCollectorMXBeans())
                .filteredOn(bean -> bean.getName().equals(HeapConfiguration.COLLECTOR))
                .singleElement()
                .satisfies(
                        bean ->
                                assertThat(bean.getMemoryPoolNames())
                                        .contains(HeapConfiguration.OLD_OBJECTS));
    }

    @Test
    void jvm_takes_the_options_of_g1_once() {
        HotSpotDiagnosticMXBean jvm =
                ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        Supplier<String> maximum = () -> jvm.getVMOption("MaxHeapFreeRatio").getValue();
        String before = maximum.get();
        String minimum = jvm.getVMOption("MinHeapFreeRatio").getValue();
        try {
            HeapConfiguration.setOptions(jvm);
            assertThat(maximum.get()).isEqualTo("20");
            jvm.setVMOption("MaxHeapFreeRatio", "30");
            HeapConfiguration.setOptions(jvm);
            assertThat(maximum.get()).isEqualTo("30");
        } finally {
            jvm.setVMOption("MaxHeapFreeRatio", before);
            jvm.setVMOption("MinHeapFreeRatio", minimum);
        }
    }

    private void limit(int percent, long used) {
        pool.used = used;
        new HeapGrowth(pool.bean(), percent, pool::collect).limit(memory, collector);
    }

    private void assertThreshold(long usedMegabytes, long thresholdMegabytes) {
        assertThat(pool.used / MEGABYTE).isEqualTo(usedMegabytes);
        assertThat(Math.ceilDiv(pool.threshold, MEGABYTE)).isEqualTo(thresholdMegabytes);
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
