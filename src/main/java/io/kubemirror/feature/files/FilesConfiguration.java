package io.kubemirror.feature.files;

import module java.base;

import io.kubemirror.app.MirrorProperties;
import io.kubemirror.kube.ClientSettings;

import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Reads all resources that no other source holds from a directory, if one is configured. */
@Configuration(proxyBeanMethods = false)
class FilesConfiguration {

    /** A limit in place of a budget, since a person edits these files. */
    private static final long MAX_BYTES = 16 << 20;

    @Bean
    @Order(1)
    @Nullable FilesSource files(
            MirrorProperties properties, ClientSettings settings, InstantSource clock) {
        Path directory = properties.upstream().files().directory();
        return directory == null
                ? null
                : new FilesSource(directory, MAX_BYTES, settings.incoming(), clock);
    }
}
