package io.kubemirror;

import io.kubemirror.memory.MemoryBudget;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The memory budget of the process and its part for clients. */
@Configuration(proxyBeanMethods = false)
class MemoryConfiguration {

    private static final long PROGRAM = 28L << 20;

    /** The budget of the process. */
    @Bean
    MemoryBudget memoryBudget() {
        long heap = Runtime.getRuntime().maxMemory();
        return MemoryBudget.ofProcess(Math.max(heap / 8, heap - PROGRAM - heap / 5));
    }

    /** The part that everything which grows with clients draws from. */
    @Bean
    MemoryBudget clientMemory(MemoryBudget memoryBudget) {
        return memoryBudget.part("clients", memoryBudget.limit() / 10 * 3);
    }
}
