package io.kubemirror.feature.heap;

import module java.base;
import module java.management;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Collects the heap each time that it has grown, once the application has started. */
@Configuration(proxyBeanMethods = false)
class HeapConfiguration {

    /** What collects old objects if the serial collector is in use, as in the image. */
    static final String COLLECTOR = "MarkSweepCompact";

    /** The pool of what is old. */
    static final String OLD_OBJECTS = "Tenured Gen";

    @Bean
    ApplicationListener<ApplicationReadyEvent> heapCollection(HeapProperties properties) {
        return _ -> {
            if (properties.gcPercent() > 0) {
                ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .filter(collector -> collector.getName().equals(COLLECTOR))
                        .forEach(collector -> limit(collector, properties.gcPercent()));
            }
        };
    }

    private static void limit(GarbageCollectorMXBean collector, int percent) {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getName().equals(OLD_OBJECTS))
                .map(old -> new HeapGrowth(old, percent, memory::gc))
                .forEach(
                        growth ->
                                growth.limit(
                                        (NotificationEmitter) memory,
                                        (NotificationEmitter) collector));
    }
}
