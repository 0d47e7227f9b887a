package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.read.DiscoveryEndpoints;
import io.kubemirror.api.read.Floors;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.read.OnDemandTypes;
import io.kubemirror.app.MirrorProperties;
import io.kubemirror.feature.forward.PassThrough.Services;
import io.kubemirror.feature.forward.PassThrough.SilenceLimits;
import io.kubemirror.kube.ClientSettings;
import io.kubemirror.kube.KubeClient;
import io.kubemirror.source.Source;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.util.function.SingletonSupplier;

/** Lets the API server answer what the mirrors do not, and follows the writes that it answers. */
@Configuration(proxyBeanMethods = false)
class ForwardConfiguration {

    /** The version of the server is its own where requests are passed on. */
    private static final int AFTER_PASS_THROUGH = 1;

    /** How much longer than the API server this process waits. */
    private static final Duration LATER = Duration.ofSeconds(5);

    private static final Executor THREADS = task -> Thread.ofVirtual().name("request").start(task);

    @Bean
    Services passThroughServices(
            @Qualifier("apiServer") ObjectProvider<KubeClient> api,
            Floors floors,
            Source sources,
            RequestTracker requests,
            SilenceLimits limits,
            LongSupplier nanoTime) {
        return new Services(
                SingletonSupplier.of(api::getObject),
                floors,
                sources::isDiscovered,
                requests,
                THREADS,
                limits,
                nanoTime);
    }

    @Bean
    ServerReads serverReads(PassThrough passThrough, Services services, ClientSettings settings) {
        return new ServerReads(passThrough, services, settings.userAgent());
    }

    /** The API server answers a request that takes too long itself, a little earlier. */
    @Bean
    SilenceLimits silenceLimits(ClientSettings server) {
        return new SilenceLimits(server.readTimeout().plus(LATER), SilenceLimits.STREAMING);
    }

    @Bean
    @Order(0)
    PassThrough passThrough(
            MirrorProperties properties,
            MirrorDirectory directory,
            OnDemandTypes onDemand,
            DiscoveryEndpoints discovery,
            Services services) {
        return new PassThrough(properties.passThrough(), directory, onDemand, discovery, services);
    }

    @Bean
    @Order(AFTER_PASS_THROUGH)
    VersionEndpoint versionEndpoint(Source api, LongSupplier nanoTime) {
        return new VersionEndpoint(api, nanoTime);
    }
}
