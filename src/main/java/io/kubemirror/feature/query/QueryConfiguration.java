package io.kubemirror.feature.query;

import io.kubemirror.model.MemoryBudget;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Lets the API sort and count lists. */
@Configuration(proxyBeanMethods = false)
class QueryConfiguration {

    @Bean
    OrderExtension orderExtension(
            @Qualifier("clientMemory") ObjectProvider<MemoryBudget> clientMemory) {
        MemoryBudget clients = clientMemory.getIfAvailable(MemoryBudget::unlimited);
        return new OrderExtension(new OrderCache(clients.part("orders", clients.limit() / 4)));
    }
}
