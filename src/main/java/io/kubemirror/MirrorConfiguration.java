package io.kubemirror;

import io.kubemirror.kube.ClientSettings;
import io.kubemirror.kube.Environment;
import io.kubemirror.kube.KubeApi;
import io.kubemirror.kube.KubeClient;
import io.kubemirror.kube.UpstreamSettings;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirrors;
import io.kubemirror.ops.MirrorsHealthIndicator;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.Surroundings;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/**
 * The wiring: one mirror and one reflector for each configured resource and namespace, and what
 * they share.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(MirrorProperties.class)
class MirrorConfiguration {

    @Bean
    static MirrorRegistration mirrorRegistration(BeanFactory beans) {
        return new MirrorRegistration(beans);
    }

    @Bean
    KubeApi kubeApi(MirrorProperties properties, ObjectProvider<BuildProperties> build) {
        BuildProperties built = build.getIfAvailable();
        String version = built == null ? null : built.getVersion();
        MirrorProperties.Upstream upstream = properties.upstream();
        return KubeClient.connect(
                new UpstreamSettings(upstream.server(), upstream.kubeconfig(), upstream.context()),
                Environment.ofProcess(),
                ClientSettings.defaults(version == null ? "unknown" : version));
    }

    @Bean
    Mirrors mirrors(List<Mirror> all) {
        return new Mirrors(all);
    }

    @Bean
    ReflectorLifecycle reflectorLifecycle(List<Reflector> reflectors) {
        return new ReflectorLifecycle(reflectors);
    }

    @Bean
    ListenerCheck listenerCheck(ServerProperties server, MirrorProperties properties) {
        return new ListenerCheck(server, properties.allowUnauthenticated());
    }

    @Bean
    MirrorsHealthIndicator mirrorsHealthIndicator(Mirrors mirrors, InstantSource clock) {
        return new MirrorsHealthIndicator(mirrors, clock);
    }

    @Bean
    Surroundings surroundings(InstantSource clock, RandomGenerator random) {
        return new Surroundings(clock, random, Thread::sleep);
    }

    @Bean
    InstantSource clock() {
        return InstantSource.system();
    }

    /** Safe for all reflectors at once, as every thread has a generator of its own. */
    @Bean
    RandomGenerator random() {
        return () -> ThreadLocalRandom.current().nextLong();
    }

    /**
     * Wakes sleeping readers, for all mirrors. No candidate for injection by type, or Boot would
     * take it for the executor of web requests.
     */
    @Bean(name = MirrorRegistration.WAKER, defaultCandidate = false)
    ExecutorService waker() {
        return Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name("waker").factory());
    }
}
