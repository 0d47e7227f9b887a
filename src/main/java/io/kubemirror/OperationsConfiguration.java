package io.kubemirror;

import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.WatcherDirectory;
import io.kubemirror.ops.DiagnosisInput;
import io.kubemirror.ops.MirrorMetrics;
import io.kubemirror.ops.MirrorsEndpoint;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorCounts;
import io.kubemirror.reflector.UnionReflector;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

import java.net.InetAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;

/** Creates the beans for health, metrics, and diagnosis. */
@Configuration(proxyBeanMethods = false)
@Import({MirrorsEndpoint.class, ReflectorLifecycle.class})
class OperationsConfiguration {

    /** Keeps the metrics of all mirrors, which their meters refer to weakly. */
    @Bean
    MeterBinder mirrorMetrics(
            List<Reflector> reflectors, List<UnionReflector> unions, InstantSource clock) {
        List<MirrorMetrics> metrics =
                Stream.concat(
                                reflectors.stream()
                                        .map(one -> metrics(one.mirror(), one.counts(), clock)),
                                unions.stream()
                                        .map(one -> metrics(one.mirror(), one.counts(), clock)))
                        .toList();
        return registry -> metrics.forEach(binder -> binder.bindTo(registry));
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

    private static MirrorMetrics metrics(
            Mirror mirror, ReflectorCounts counts, InstantSource clock) {
        return new MirrorMetrics(mirror, counts, clock);
    }

    @Bean
    DiagnosisInput diagnosisInput(
            List<Reflector> reflectors,
            List<UnionReflector> unions,
            WatcherDirectory watchers,
            MemoryBudget memoryBudget,
            InstantSource clock,
            UpstreamSources sources,
            MirrorProperties properties,
            ServerProperties server,
            Environment environment,
            ObjectProvider<BuildProperties> build) {
        DiagnosisInput.Setup setup =
                new DiagnosisInput.Setup(
                        built(build, "version"),
                        sources.upstream(),
                        () -> address(server, environment.getProperty("local.server.port", "")),
                        EffectiveSettings.of(properties));
        return new DiagnosisInput(
                Stream.concat(
                                reflectors.stream().map(DiagnosisInput.Mirrored::by),
                                unions.stream().map(DiagnosisInput.Mirrored::by))
                        .toList(),
                watchers,
                setup,
                memoryBudget,
                clock);
    }

    /** The address of the API. A wildcard address is returned unchanged. */
    private static String address(ServerProperties server, String port) {
        InetAddress address = server.getAddress();
        String host = address == null ? "0.0.0.0" : address.getHostAddress();
        String scheme = Ssl.isEnabled(server.getSsl()) ? "https" : "http";
        return scheme + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
