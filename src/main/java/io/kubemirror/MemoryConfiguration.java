package io.kubemirror;

import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.ops.MemoryMetrics;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The memory budget of the process and its two parts.
 *
 * <p>What is reserved for clients is not available to mirrors and the other way round: clients
 * cannot make a mirror too large for the budget, and a large collection does not shut clients out.
 */
@Configuration(proxyBeanMethods = false)
class MemoryConfiguration {

    @Bean
    MemoryPlan memoryPlan(MirrorProperties properties) {
        return PlanReader.memory(properties.memory(), Runtime.getRuntime().maxMemory());
    }

    /** The budget of the process. */
    @Bean
    MemoryBudget memoryBudget(MemoryPlan plan) {
        return MemoryBudget.ofProcess(plan.limit());
    }

    /** The part that everything which grows with clients draws from. */
    @Bean
    MemoryBudget clientMemory(MemoryBudget memoryBudget, MemoryPlan plan) {
        return memoryBudget.part("clients", plan.clients());
    }

    /** The part that objects, history, and upstream data draw from. */
    @Bean
    MemoryBudget mirrorMemory(MemoryBudget memoryBudget, MemoryPlan plan) {
        return memoryBudget.part("mirrors", plan.mirrors());
    }

    /** What objects and history of all mirrors draw from. */
    @Bean
    MirrorMemory objectMemory(MemoryBudget mirrorMemory) {
        return new MirrorMemory(mirrorMemory);
    }

    /** What is on its way from the API server to the mirrors draws from it. */
    @Bean
    MemoryBudget incomingMemory(MemoryBudget mirrorMemory) {
        return mirrorMemory.part("incoming", mirrorMemory.limit() / 2);
    }

    /** Bound when all parts are there, whichever beans create them. */
    @Bean
    SmartInitializingSingleton memoryMetrics(MemoryBudget memoryBudget, MeterRegistry registry) {
        return () -> new MemoryMetrics(memoryBudget).bindTo(registry);
    }
}
