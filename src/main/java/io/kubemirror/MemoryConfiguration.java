package io.kubemirror;

import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.ops.MemoryMetrics;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Creates the memory budget of the process and its two parts.
 *
 * <p>Clients cannot use the part for mirrors, and mirrors cannot use the part for clients: clients
 * cannot make a mirror too large for the budget, and a large collection does not lock out clients.
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

    /** The part for everything that grows with clients. */
    @Bean
    MemoryBudget clientMemory(MemoryBudget memoryBudget, MemoryPlan plan) {
        return memoryBudget.part("clients", plan.clients());
    }

    /** The part for objects, history, and upstream data. */
    @Bean
    MemoryBudget mirrorMemory(MemoryBudget memoryBudget, MemoryPlan plan) {
        return memoryBudget.part("mirrors", plan.mirrors());
    }

    /** The part for objects and history of all mirrors. */
    @Bean
    MirrorMemory objectMemory(MemoryBudget mirrorMemory) {
        return new MirrorMemory(mirrorMemory);
    }

    /** The part for data on its way from the API server to the mirrors. */
    @Bean
    MemoryBudget incomingMemory(MemoryBudget mirrorMemory) {
        return mirrorMemory.part("incoming", mirrorMemory.limit() / 2);
    }

    /** Binds the metrics after all beans have created their parts. */
    @Bean
    SmartInitializingSingleton memoryMetrics(MemoryBudget memoryBudget, MeterRegistry registry) {
        return () -> new MemoryMetrics(memoryBudget).bindTo(registry);
    }
}
