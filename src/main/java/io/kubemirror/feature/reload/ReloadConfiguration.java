package io.kubemirror.feature.reload;

import module java.base;

import io.kubemirror.app.config.ConfigurationFiles;
import io.kubemirror.app.config.CurrentProperties;
import io.kubemirror.mirror.MirrorSet;

import org.springframework.boot.logging.LoggerGroups;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;

/** Replaces the configuration in force when its files change. */
@Configuration(proxyBeanMethods = false)
class ReloadConfiguration {

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
            MirrorSet mirrors,
            ConfigurationStatus status) {
        return new ConfigurationReloader(
                files, environment, current, mirrors, logging, groups, status);
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
