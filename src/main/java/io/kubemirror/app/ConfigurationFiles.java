package io.kubemirror.app;

import module java.base;

import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.ConfigTreePropertySource;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Reads the configuration files of Spring Boot again as the start did.
 *
 * <p>Rejected: a {@code WatchService}. It does not see that the target of a symlink changes, which
 * is how a mounted ConfigMap changes, nor changes on several kinds of volumes, and it uses inotify
 * instances, of which a node has few.
 */
final class ConfigurationFiles {

    private ConfigurationFiles() {}

    /**
     * Returns an environment like that of the start, with the present content of the files.
     *
     * @param start has what the start had beside files: the command line, environment variables,
     *     and system properties
     * @throws RuntimeException if a file is malformed or a mandatory one is missing
     */
    static ConfigurableEnvironment read(ConfigurableEnvironment start) {
        StandardEnvironment environment = new StandardEnvironment();
        MutablePropertySources sources = environment.getPropertySources();
        sources.stream().map(PropertySource::getName).toList().forEach(sources::remove);
        start.getPropertySources().stream()
                .filter(one -> !isFile(one))
                .filter(
                        one ->
                                !ConfigurationPropertySources.isAttachedConfigurationPropertySource(
                                        one))
                .forEach(sources::addLast);
        ConfigDataEnvironmentPostProcessor.applyTo(environment);
        ConfigurationPropertySources.attach(environment);
        return environment;
    }

    /** Returns what the files of an environment have, before placeholders are resolved. */
    static Map<String, String> properties(ConfigurableEnvironment environment) {
        Map<String, String> properties = new TreeMap<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (isFile(source) && source instanceof EnumerablePropertySource<?> file) {
                for (String name : file.getPropertyNames()) {
                    properties.putIfAbsent(name, String.valueOf(file.getProperty(name)));
                }
            }
        }
        return properties;
    }

    private static boolean isFile(PropertySource<?> source) {
        return source instanceof OriginTrackedMapPropertySource
                || source instanceof ConfigTreePropertySource;
    }
}
