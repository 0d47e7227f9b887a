package io.kubemirror.app;

import module java.base;

import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.app.health.Finding.FindingSource;
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

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.management.HeapDumpWebEndpoint;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.ConfigurableEnvironment;

/** Creates the beans for health, metrics, and diagnosis. */
@Configuration(proxyBeanMethods = false)
@Import({MirrorsEndpoint.class, ThreadsEndpoint.class})
class OperationsConfiguration {

    @Bean
    ExitOnChange configurationHealthIndicator(
            MirrorProperties properties, ConfigurableEnvironment environment, Sleeper sleeper) {
        return new ExitOnChange(
                properties.exitOnChange(),
                environment,
                () -> ExitOnChange.read(environment),
                OperationsConfiguration::check,
                System::exit,
                sleeper);
    }

    /** Throws what a start with an environment would. */
    static void check(ConfigurableEnvironment environment) {
        ServerProperties server =
                Binder.get(environment).bindOrCreate("server", ServerProperties.class);
        ListenerConfiguration.check(server, MirrorProperties.bind(environment));
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
    MeterBinder buildInfo() {
        return registry ->
                Gauge.builder("kubemirror.build.info", () -> 1)
                        .description("The version of kubemirror, its commit, and its Java")
                        .tag("version", KubeMirrorApplication.built("version"))
                        .tag("revision", KubeMirrorApplication.built("revision"))
                        .tag("java", Runtime.version().toString())
                        .register(registry);
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
            WatchRegistry watchers,
            ObjectProvider<FindingSource> further,
            MemoryBudget clientMemory,
            MemoryBudget mirrorMemory,
            SteadyClock clock) {
        return new ProcessDescription(
                KubeMirrorApplication.built("version"),
                sources.description().text(),
                clock.instant(),
                lifecycle::mirrored,
                watchers::of,
                () -> further.stream().flatMap(one -> one.findings().stream()).toList(),
                List.of(clientMemory, mirrorMemory),
                clock);
    }
}
