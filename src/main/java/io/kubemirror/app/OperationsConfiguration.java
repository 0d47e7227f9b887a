package io.kubemirror.app;

import module java.base;

import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.app.config.ConfigurationFiles;
import io.kubemirror.app.health.FindingSource;
import io.kubemirror.app.health.FindingsHealthIndicator;
import io.kubemirror.app.health.MirrorMetrics;
import io.kubemirror.app.health.MirrorsEndpoint;
import io.kubemirror.app.health.ProcessDescription;
import io.kubemirror.app.health.ThreadsEndpoint;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.PeriodicThread.Sleeper;
import io.kubemirror.model.SteadyClock;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.management.HeapDumpWebEndpoint;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/** Creates the beans for health, metrics, and diagnosis. */
@Configuration(proxyBeanMethods = false)
@Import({MirrorsEndpoint.class, ThreadsEndpoint.class})
class OperationsConfiguration {

    /** How long the API server may be silent before health reports the connection as lost. */
    private static final Duration LOST_AFTER = Duration.ofMinutes(10);

    @Bean
    ExitOnChange configurationHealthIndicator(
            MirrorProperties properties,
            ConfigurableEnvironment environment,
            ConfigurationFiles files,
            Sleeper sleeper) {
        return new ExitOnChange(
                properties.exitOnChange(),
                environment,
                files::read,
                OperationsConfiguration::check,
                System::exit,
                sleeper);
    }

    /** Throws what a start with an environment would. */
    private static void check(ConfigurableEnvironment environment) {
        ServerProperties server =
                Binder.get(environment).bindOrCreate("server", ServerProperties.class);
        var _ = ListenerCheck.check(server, MirrorProperties.bind(environment));
    }

    @Bean
    MeterBinder mirrorMetrics(MirrorLifecycle lifecycle, SteadyClock clock) {
        return registry ->
                lifecycle
                        .mirrors()
                        .listen(
                                MirrorMetrics.ofAll(
                                        lifecycle.mirrors(), lifecycle::counts, clock, registry));
    }

    /** Publishes what runs, as one series with the value 1. */
    @Bean
    MeterBinder buildInfo(ObjectProvider<BuildProperties> build) {
        return registry ->
                Gauge.builder("kubemirror.build.info", () -> 1)
                        .description("The version of kubemirror, its commit, and its Java")
                        .tag("version", built(build, "version"))
                        .tag("revision", built(build, "revision"))
                        .tag("java", Runtime.version().toString())
                        .register(registry);
    }

    /** Returns a property of the build, such as {@code version}; "unknown" if it has none. */
    static String built(ObjectProvider<BuildProperties> build, String property) {
        BuildProperties properties = build.getIfAvailable();
        String value = properties == null ? null : properties.get(property);
        return value == null ? "unknown" : value;
    }

    @Bean
    FindingsHealthIndicator findingsHealthIndicator(ProcessDescription process) {
        return new FindingsHealthIndicator(process);
    }

    /**
     * Exists even if it is not accessible, so that {@code management.endpoint.heapdump.access} has
     * an effect in the image, whose beans are selected when it is built.
     */
    @Bean
    HeapDumpWebEndpoint heapDump() {
        return new HeapDumpWebEndpoint();
    }

    @Bean
    ProcessDescription processDescription(
            MirrorLifecycle lifecycle,
            Sources sources,
            ServerProperties server,
            Environment environment,
            ObjectProvider<BuildProperties> build,
            WatchRegistry watchers,
            ObjectProvider<FindingSource> further,
            MemoryBudget clientMemory,
            MemoryBudget mirrorMemory,
            SteadyClock clock) {
        return new ProcessDescription(
                built(build, "version"),
                sources.description().text(),
                clock.instant(),
                () -> address(server, environment.getProperty("local.server.port", "")),
                lifecycle::mirrored,
                LOST_AFTER,
                watchers::of,
                () -> further.stream().flatMap(one -> one.findings().stream()).toList(),
                List.of(clientMemory, mirrorMemory),
                clock);
    }

    /** The address of the API, null without a port. A wildcard address is returned unchanged. */
    private static @Nullable String address(ServerProperties server, String port) {
        if (port.equals("-1")) {
            return null;
        }
        InetAddress address = server.getAddress();
        String host = address == null ? "0.0.0.0" : address.getHostAddress();
        String scheme = Ssl.isEnabled(server.getSsl()) ? "https" : "http";
        return scheme + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
