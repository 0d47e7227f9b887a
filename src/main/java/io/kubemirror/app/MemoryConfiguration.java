package io.kubemirror.app;

import module java.base;

import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.model.MemoryBudget;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.unit.DataSize;

/**
 * Creates the memory budgets of clients and of mirrors, which share the limit of the process.
 *
 * <p>Clients cannot use the part for mirrors, and mirrors cannot use the part for clients: clients
 * cannot make a mirror too large for the budget, and a large collection does not lock out clients.
 */
@Configuration(proxyBeanMethods = false)
public class MemoryConfiguration {

    private static final String LIMIT = "kubemirror.memory.limit";

    /** Minimum limit, in bytes. With less, not even an empty collection is mirrored reliably. */
    private static final long MIN = 4L << 20;

    /** Minimum size of the part for clients and of the part for mirrors, in bytes. */
    private static final long MIN_PART = 1L << 20;

    /**
     * Memory that the process itself needs, in bytes: classes, Spring, Jetty, metrics, and threads.
     */
    private static final long PROGRAM = 30L << 20;

    /**
     * The divisor for the fraction of the heap that stays free for garbage and for memory that is
     * counted only approximately.
     */
    private static final int FREE_PART = 10;

    /** The part of a limit of which clients get less, in bytes. */
    private static final long SMALL_LIMIT = 100L << 20;

    /**
     * The memory budget of the process: how much of the heap objects, history, upstream data, and
     * clients may use.
     *
     * @param limit [KEY] Memory budget. Default: nine tenths of the maximum heap size, less 30 MB.
     * @param clients Part of the budget for clients. Default: a fifth of the first 100 MB and two
     *     fifths of the rest.
     */
    public record MemoryProperties(@Nullable DataSize limit, @Nullable DataSize clients) {}

    private static long limit(MirrorProperties properties) {
        return limit(properties.memory().limit(), Runtime.getRuntime().maxMemory());
    }

    /** The part for everything that grows with clients. */
    @Bean
    MemoryBudget clientMemory(MirrorProperties properties) {
        return MemoryBudget.of(clients(properties.memory().clients(), limit(properties)));
    }

    /** The part for objects, history, and upstream data. */
    @Bean
    MemoryBudget mirrorMemory(MirrorProperties properties, MemoryBudget clientMemory) {
        return MemoryBudget.of(limit(properties) - clientMemory.limit());
    }

    /** The part for objects and history of all mirrors. */
    @Bean
    MirrorMemory objectMemory(MemoryBudget mirrorMemory) {
        return new MirrorMemory(mirrorMemory);
    }

    /** The use of the parts, and of the parts of that for mirrors. */
    @Bean
    MeterBinder memoryMetrics(
            MemoryBudget clientMemory, MemoryBudget mirrorMemory, MirrorMemory objectMemory) {
        return registry -> {
            bind(registry, "clients", clientMemory);
            bind(registry, "mirrors", mirrorMemory);
            bind(registry, "mirrors/objects", objectMemory.objects());
            bind(registry, "mirrors/history", objectMemory.history());
        };
    }

    private static void bind(MeterRegistry registry, String part, MemoryBudget budget) {
        Gauge.builder("kubemirror.memory.used", budget, MemoryBudget::used)
                .description("[KEY] Used memory of the budget by part")
                .baseUnit("bytes")
                .tag("part", part)
                .strongReference(true)
                .register(registry);
        Gauge.builder("kubemirror.memory.limit", budget, MemoryBudget::limit)
                .description("[KEY] Limit of each part of the memory budget")
                .baseUnit("bytes")
                .tag("part", part)
                .strongReference(true)
                .register(registry);
    }

    /**
     * Returns the limit of the process, in bytes.
     *
     * @param configured the configured limit, null to derive it from the heap
     * @param heap the maximum heap size, in bytes
     */
    static long limit(@Nullable DataSize configured, long heap) {
        long standard = Math.max(MIN, heap - heap / FREE_PART - PROGRAM);
        long limit = configured == null ? standard : configured.toBytes();
        MirrorProperties.refuse(
                limit > heap,
                LIMIT,
                "%d MB exceeds the heap of %d MB; use %dMB or less, or raise -Xmx"
                        .formatted(limit >> 20, heap >> 20, standard >> 20));
        MirrorProperties.refuse(
                limit < MIN,
                LIMIT,
                "%d MB is too small; use %dMB or more, or raise -Xmx"
                        .formatted(limit >> 20, MIN >> 20));
        return limit;
    }

    /**
     * Returns the part for clients, in bytes.
     *
     * @param configured the configured part; null for a fifth of the first 100 MB of the limit,
     *     where a collection needs the room, and two fifths of the rest, for thousands of watches
     * @param limit the limit of the process, in bytes
     */
    static long clients(@Nullable DataSize configured, long limit) {
        long small = Math.min(limit, SMALL_LIMIT);
        long standard = Math.max(MIN_PART, small / 5 + (limit - small) / 5 * 2);
        long clients = configured == null ? standard : configured.toBytes();
        MirrorProperties.refuse(
                clients < MIN_PART || clients > limit - MIN_PART,
                "kubemirror.memory.clients",
                "%d MB leaves too little memory for clients or mirrors; use 1MB or more, and at"
                                .formatted(clients >> 20)
                        + " least 1MB less than the limit of %d MB".formatted(limit >> 20));
        return clients;
    }

    /**
     * Returns the maximum size of an object, in bytes: an eighth of the part for mirrors, since
     * reading an object takes three times its size. etcd stores objects of up to 1.5 MB by default.
     */
    static int objectLimit(long mirrors) {
        return (int) Math.min(mirrors / 2, Math.clamp(mirrors / 8, 2L << 20, 16L << 20));
    }
}
