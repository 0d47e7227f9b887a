package io.kubemirror.app;

import module java.base;

import io.kubemirror.api.http.ApiTimings;
import io.kubemirror.api.server.ConnectionProperties;
import io.kubemirror.api.server.GracefulShutdown.ShutdownProperties;
import io.kubemirror.api.watch.WatchProperties.BatchProperties;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Creates the parts of the configuration that the API uses. */
@Configuration(proxyBeanMethods = false)
class PropertiesConfiguration {

    @Bean
    ShutdownProperties shutdownProperties(MirrorProperties properties) {
        return properties.shutdown();
    }

    @Bean
    ConnectionProperties connectionProperties(MirrorProperties properties) {
        return properties.connections();
    }

    @Bean
    ApiTimings apiTimings(MirrorProperties properties) {
        return properties.watches().timings();
    }

    @Bean
    BatchProperties batchProperties(MirrorProperties properties) {
        return properties.watches().batch();
    }
}
