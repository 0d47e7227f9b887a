package io.kubemirror.feature.disk;

import module java.base;

import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.SteadyClock;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.info.BuildProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Stores mirrors in the configured directory. */
@Configuration(proxyBeanMethods = false)
class DiskConfiguration {

    @Bean
    @Nullable MirrorPersistence mirrorPersistence(
            PersistenceProperties properties,
            ObjectProvider<BuildProperties> build,
            MemoryBudget mirrorMemory,
            SteadyClock clock) {
        String directory = properties.directory();
        if (directory == null || directory.isBlank()) {
            return null;
        }
        return new MirrorPersistence(
                Path.of(directory),
                properties.key(),
                properties.limit(),
                Optional.ofNullable(build.getIfAvailable())
                        .map(BuildProperties::getVersion)
                        .orElse("unknown"),
                mirrorMemory.part("persistence", mirrorMemory.limit()),
                clock,
                System::nanoTime);
    }
}
