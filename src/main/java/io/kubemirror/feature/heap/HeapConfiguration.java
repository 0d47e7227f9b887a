package io.kubemirror.feature.heap;

import module java.base;
import module java.management;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption.Origin;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Collects the heap each time that it has grown, once the application has started. */
@Configuration(proxyBeanMethods = false)
class HeapConfiguration {

    /** What collects old objects if the serial collector is in use, as in the image. */
    static final String COLLECTOR = "MarkSweepCompact";

    /**
     * With these, the standard collector returns memory that is free for a minute. Its own are made
     * for programs that have the machine to themselves. In this order, because the JVM refuses a
     * maximum below the minimum.
     */
    private static final List<Map.Entry<String, String>> RELEASE =
            List.of(
                    Map.entry("G1PeriodicGCInterval", "60000"),
                    Map.entry("MinHeapFreeRatio", "10"),
                    Map.entry("MaxHeapFreeRatio", "20"));

    /** The pool of what is old. */
    static final String OLD_OBJECTS = "Tenured Gen";

    @Bean
    ApplicationListener<ApplicationReadyEvent> heapCollection(HeapProperties properties) {
        return _ -> {
            if (properties.gcPercent() > 0) {
                ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .filter(collector -> collector.getName().equals(COLLECTOR))
                        .forEach(collector -> limit(collector, properties.gcPercent()));
                release(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class));
            }
        };
    }

    /** Lets the collector G1 return free memory, unless an option on the command line says how. */
    private static void release(HotSpotDiagnosticMXBean jvm) {
        if (Boolean.parseBoolean(jvm.getVMOption("UseG1GC").getValue())) {
            setOptions(jvm);
        }
    }

    /** Sets the options if all of them are left to the JVM. */
    static void setOptions(HotSpotDiagnosticMXBean jvm) {
        boolean free =
                RELEASE.stream()
                        .map(option -> jvm.getVMOption(option.getKey()).getOrigin())
                        .allMatch(Origin.DEFAULT::equals);
        if (free) {
            RELEASE.forEach(option -> jvm.setVMOption(option.getKey(), option.getValue()));
        }
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
