package io.kubemirror.feature.files;

import module java.base;

import io.kubemirror.kube.ClientSettings;
import io.kubemirror.source.Source;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Reads all resources that no other source holds from a directory, if one is configured. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(FilesConfiguration.FilesProperties.class)
class FilesConfiguration {

    /** A limit in place of a budget, since a person edits these files. */
    private static final long MAX_BYTES = 16 << 20;

    /**
     * A directory that takes the place of the API server.
     *
     * @param directory Directory whose YAML and JSON files contain all objects. Default: none.
     */
    @ConfigurationProperties("kubemirror.upstream.files")
    record FilesProperties(@Nullable Path directory) {}

    @Bean
    @Order(1)
    @Nullable Source files(FilesProperties files, ClientSettings settings, InstantSource clock) {
        Path directory = files.directory();
        if (directory != null && !Files.isDirectory(directory)) {
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror.upstream.files.directory",
                    directory,
                    "is no directory; create it, or correct the path");
        }
        return directory == null
                ? null
                : new FilesSource(directory, MAX_BYTES, settings.incoming(), clock);
    }
}
