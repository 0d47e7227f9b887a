package io.kubemirror.app.config;

import module java.base;

import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.bootstrap.ConfigurableBootstrapContext;
import org.springframework.boot.bootstrap.DefaultBootstrapContext;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.ConfigTreePropertySource;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.DefaultResourceLoader;

/**
 * Reads the configuration files of Spring Boot again as the start did.
 *
 * <p>Boot creates it during the start, where it remembers what the start had beside files: the
 * command line, environment variables, system properties, and profiles. It is then a bean.
 *
 * <p>Rejected: a {@code WatchService}. It does not see that the target of a symlink changes, which
 * is how a mounted ConfigMap changes, nor changes on several kinds of volumes, and it uses inotify
 * instances, of which a node has few.
 */
public final class ConfigurationFiles implements EnvironmentPostProcessor, Ordered {

    private List<PropertySource<?>> others = List.of();
    private String[] profiles = {};
    private String[] additionalProfiles = {};

    /** Creates an instance for Boot, which becomes a bean as soon as there is a context. */
    public ConfigurationFiles(ConfigurableBootstrapContext bootstrap) {
        bootstrap.addCloseListener(
                closed ->
                        closed.getApplicationContext()
                                .getBeanFactory()
                                .registerSingleton("configurationFiles", this));
    }

    /** The last one before the files are read. */
    @Override
    public int getOrder() {
        return ConfigDataEnvironmentPostProcessor.ORDER - 1;
    }

    @Override
    public void postProcessEnvironment(
            ConfigurableEnvironment environment, SpringApplication application) {
        others =
                environment.getPropertySources().stream()
                        .filter(
                                one ->
                                        !ConfigurationPropertySources
                                                .isAttachedConfigurationPropertySource(one))
                        .toList();
        profiles = environment.getActiveProfiles();
        additionalProfiles = application.getAdditionalProfiles().toArray(String[]::new);
    }

    /**
     * Returns an environment like that of the start, with the present content of the files.
     *
     * @throws RuntimeException if a file is malformed or a mandatory one is missing
     */
    public ConfigurableEnvironment read() {
        StandardEnvironment environment = new StandardEnvironment();
        MutablePropertySources sources = environment.getPropertySources();
        List.copyOf(sources.stream().toList()).forEach(one -> sources.remove(one.getName()));
        others.forEach(sources::addLast);
        environment.setActiveProfiles(profiles);
        ConfigDataEnvironmentPostProcessor.applyTo(
                environment,
                new DefaultResourceLoader(),
                new DefaultBootstrapContext(),
                additionalProfiles);
        ConfigurationPropertySources.attach(environment);
        return environment;
    }

    /** Returns what the files of an environment have, before placeholders are resolved. */
    public static Map<String, Object> properties(ConfigurableEnvironment environment) {
        Map<String, Object> properties = new TreeMap<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof OriginTrackedMapPropertySource
                    || source instanceof ConfigTreePropertySource) {
                for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                    properties.putIfAbsent(
                            name, String.valueOf(Objects.requireNonNull(source.getProperty(name))));
                }
            }
        }
        return properties;
    }
}
