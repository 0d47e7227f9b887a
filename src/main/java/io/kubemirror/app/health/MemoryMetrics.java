package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.model.MemoryBudget;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Publishes the usage of the memory budget by part: {@code process} for everything, {@code clients}
 * and {@code mirrors}, and below these by purpose, such as {@code mirrors/history}. Single mirrors
 * have metrics of their own.
 *
 * @param budget the budget of the process
 */
public record MemoryMetrics(MemoryBudget budget) implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        bind(registry, "process", budget);
        for (MemoryBudget part : budget.parts()) {
            bind(registry, part.name(), part);
            for (MemoryBudget use : part.parts()) {
                bind(registry, part.name() + "/" + use.name(), use);
            }
        }
    }

    private static void bind(MeterRegistry registry, String part, MemoryBudget budget) {
        Stream.of(
                        Gauge.builder("kubemirror.memory.used", budget, MemoryBudget::used)
                                .description("[KEY] Used memory of the budget by part"),
                        Gauge.builder("kubemirror.memory.limit", budget, MemoryBudget::limit)
                                .description("[KEY] Limit of each part of the memory budget"))
                .map(gauge -> gauge.baseUnit("bytes").tag("part", part).strongReference(true))
                .forEach(gauge -> gauge.register(registry));
    }
}
