package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.model.MemoryBudget;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Publishes the usage of the memory budgets by part: {@code clients}, {@code mirrors}, and of the
 * latter {@code mirrors/objects} and {@code mirrors/history}. Single mirrors have metrics of their
 * own.
 *
 * @param parts the budgets by the names of their parts
 */
public record MemoryMetrics(Map<String, MemoryBudget> parts) implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        parts.forEach((part, budget) -> bind(registry, part, budget));
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
