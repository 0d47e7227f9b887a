package io.kubemirror.app;

import module java.base;

import io.kubemirror.app.health.Finding;
import io.kubemirror.app.health.Finding.FindingSource;
import io.kubemirror.model.PeriodicThread;
import io.kubemirror.model.PeriodicThread.Sleeper;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.ConfigTreePropertySource;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Ends the process in order when a configuration file has changed, so that whatever supervises it
 * starts it with the new content. Content that a start would refuse is reported, and changes
 * nothing.
 *
 * <p>Rejected: a {@code WatchService}. It does not see that the target of a symlink changes, which
 * is how a mounted ConfigMap changes, nor changes on several kinds of volumes, and it uses inotify
 * instances, of which a node has few.
 *
 * <p>A change is complete when two looks in a row find the same, because most programs write a file
 * in several steps. One thread looks; any thread may read what it has found.
 */
final class ExitOnChange implements SmartLifecycle, FindingSource, MeterBinder {

    /** That of a temporary failure in {@code sysexits.h}: try again. */
    static final int EXIT_CODE = 75;

    static final Duration INTERVAL = Duration.ofMillis(500);

    private static final Logger log = LoggerFactory.getLogger(ExitOnChange.class);

    private final Supplier<ConfigurableEnvironment> files;
    private final Consumer<ConfigurableEnvironment> check;
    private final IntConsumer exit;
    private final PeriodicThread thread;
    private final boolean on;

    /** The properties of the files, or why they cannot be read. */
    private final Object started;

    private Object last;
    private Object judged;
    private volatile String problem = "";

    /**
     * Creates one that has not started.
     *
     * @param on whether it looks at all
     * @param start the environment of the start
     * @param files reads the files as the start did
     * @param check throws an exception if a start would refuse an environment
     * @param exit ends the process with an exit code; called on a thread of its own
     */
    ExitOnChange(
            boolean on,
            ConfigurableEnvironment start,
            Supplier<ConfigurableEnvironment> files,
            Consumer<ConfigurableEnvironment> check,
            IntConsumer exit,
            Sleeper sleeper) {
        this.on = on;
        this.files = files;
        this.check = check;
        this.exit = exit;
        this.thread = new PeriodicThread("exit-on-change", this::look, INTERVAL, sleeper);
        this.started = properties(start);
        this.last = started;
        this.judged = started;
    }

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

    /** Looks once, and returns the time until the next look. */
    Duration look() {
        ConfigurableEnvironment read = new StandardEnvironment();
        Object now;
        try {
            read = files.get();
            now = properties(read);
        } catch (RuntimeException mistake) {
            now = ConfigurationFailures.line(mistake, read);
        }
        if (now.equals(last) && !now.equals(judged)) {
            judged = now;
            judge(now, read);
        }
        last = now;
        return INTERVAL;
    }

    private void judge(Object now, ConfigurableEnvironment read) {
        boolean unchanged = now.equals(started);
        problem = unchanged ? "" : now instanceof String mistake ? mistake : mistake(read);
        if (!problem.isEmpty()) {
            log.error("The configuration files have a mistake, and are not in force: {}", problem);
        } else if (!unchanged) {
            log.info("A configuration file has changed; the process ends, to be started again");
            Thread.ofPlatform().name("exit").start(() -> exit.accept(EXIT_CODE));
        }
    }

    private String mistake(ConfigurableEnvironment read) {
        try {
            check.accept(read);
            return "";
        } catch (RuntimeException mistake) {
            return ConfigurationFailures.line(mistake, read);
        }
    }

    @Override
    public List<Finding> findings() {
        String text = "the configuration files have a mistake, and are not in force: " + problem;
        return Finding.warning(Finding.Kind.CONFIGURATION, problem.isEmpty() ? "" : text);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("kubemirror.configuration.refused", () -> problem.isEmpty() ? 0 : 1)
                .description("1 if the configuration files have a mistake, and are not in force")
                .register(registry);
    }

    @Override
    public boolean isAutoStartup() {
        return on;
    }

    @Override
    public void start() {
        thread.start();
    }

    @Override
    public void stop() {
        thread.stop(Duration.ZERO);
    }

    @Override
    public boolean isRunning() {
        return thread.isRunning();
    }
}
