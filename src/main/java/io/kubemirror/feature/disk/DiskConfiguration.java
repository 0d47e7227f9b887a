package io.kubemirror.feature.disk;

import io.kubemirror.model.MemoryBudget;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.info.BuildProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import java.time.InstantSource;
import java.util.Optional;

/** Stores mirrors in the configured directory. */
@Configuration(proxyBeanMethods = false)
class DiskConfiguration {

    @Bean
    @Nullable StoredMirrors storedMirrors(
            PersistenceProperties properties,
            ObjectProvider<BuildProperties> build,
            MemoryBudget mirrorMemory,
            InstantSource clock) {
        String version =
                Optional.ofNullable(build.getIfAvailable())
                        .map(BuildProperties::getVersion)
                        .orElse("unknown");
        return StoredMirrors.of(properties, version, mirrorMemory, clock);
    }
}
