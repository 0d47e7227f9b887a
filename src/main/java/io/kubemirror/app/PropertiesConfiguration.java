package io.kubemirror.app;

import module java.base;

import io.kubemirror.api.http.ApiTimings;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionProperties;
import io.kubemirror.api.server.GracefulShutdown.ShutdownProperties;
import io.kubemirror.api.watch.WatchProperties.BatchProperties;
import io.kubemirror.app.config.BoundRecords;
import io.kubemirror.app.config.CurrentProperties;
import io.kubemirror.model.MemoryBudget;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Creates the configuration in force, and the parts that the API uses. */
@Configuration(proxyBeanMethods = false)
class PropertiesConfiguration {

    @Bean
    CurrentProperties currentProperties(ListableBeanFactory beans) {
        return new CurrentProperties(BoundRecords.of(beans));
    }

    @Bean
    Supplier<ShutdownProperties> shutdownProperties(CurrentProperties current) {
        return current.part(all -> all.get(MirrorProperties.class).shutdown());
    }

    @Bean
    Supplier<ConnectionProperties> connectionProperties(CurrentProperties current) {
        return current.part(all -> all.get(MirrorProperties.class).connections());
    }

    @Bean
    Supplier<ApiTimings> apiTimings(CurrentProperties current) {
        return current.part(all -> all.get(MirrorProperties.class).watches().timings());
    }

    @Bean
    Supplier<BatchProperties> batchProperties(
            CurrentProperties current, MemoryBudget clientMemory) {
        return current.part(
                all -> {
                    BatchProperties batch = all.get(MirrorProperties.class).watches().batch();
                    MemoryConfiguration.checkBatch(batch.maxBytes(), clientMemory.limit());
                    return batch;
                });
    }
}
