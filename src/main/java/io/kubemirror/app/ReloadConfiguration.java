package io.kubemirror.app;

import io.kubemirror.api.http.ApiTimings;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionProperties;
import io.kubemirror.api.server.GracefulShutdown.ShutdownProperties;
import io.kubemirror.api.server.PermissionRechecker;
import io.kubemirror.api.watch.WatchProperties.BatchProperties;
import io.kubemirror.app.health.ConfigurationStatus;
import io.kubemirror.model.MemoryBudget;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.logging.LoggerGroups;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;

import java.time.InstantSource;
import java.util.function.Supplier;

/** Creates the configuration in force, the parts that the API uses, and what replaces them. */
@Configuration(proxyBeanMethods = false)
class ReloadConfiguration {

    @Bean
    CurrentProperties currentProperties(ListableBeanFactory beans) {
        return new CurrentProperties(BoundRecords.of(beans));
    }

    @Bean
    Supplier<ShutdownProperties> shutdownProperties(CurrentProperties current) {
        return current.part(MirrorProperties.class, MirrorProperties::shutdown);
    }

    @Bean
    Supplier<ConnectionProperties> connectionProperties(CurrentProperties current) {
        return current.part(MirrorProperties.class, MirrorProperties::connections);
    }

    @Bean
    Supplier<ApiTimings> apiTimings(CurrentProperties current) {
        return current.part(MirrorProperties.class, properties -> properties.watches().timings());
    }

    @Bean
    Supplier<BatchProperties> batchProperties(
            CurrentProperties current, MemoryBudget clientMemory) {
        return current.part(
                MirrorProperties.class,
                properties -> {
                    BatchProperties batch = properties.watches().batch();
                    MemoryConfiguration.checkBatch(batch.maxBytes(), clientMemory.limit());
                    return batch;
                });
    }

    @Bean
    ConfigurationStatus configurationHealthIndicator(InstantSource clock) {
        return new ConfigurationStatus(clock);
    }

    @Bean
    ConfigurationReloader configurationReloader(
            ConfigurationFiles files,
            ConfigurableEnvironment environment,
            CurrentProperties current,
            LoggingSystem logging,
            LoggerGroups groups,
            ConfigurationStatus status,
            PermissionRechecker rechecker) {
        current.listen(
                MirrorProperties.class, MirrorProperties::access, (_, _) -> rechecker.recheck());
        return new ConfigurationReloader(files, environment, current, logging, groups, status);
    }

    @Bean
    ConfigurationWatcher configurationWatcher(
            ConfigurationFiles files, ConfigurationReloader reloader) {
        return new ConfigurationWatcher(
                files::fingerprint,
                () -> {
                    reloader.run();
                    return reloader.isComplete();
                },
                Thread::sleep);
    }
}
