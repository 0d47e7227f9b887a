package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.read.Floors;
import io.kubemirror.feature.forward.PassThrough.Services;
import io.kubemirror.kube.ClientSettings;
import io.kubemirror.kube.KubeClient;
import io.kubemirror.source.Source;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.function.SingletonSupplier;

/** Lets the API server answer what the mirrors do not, and follows the writes that it answers. */
@Configuration(proxyBeanMethods = false)
class ForwardConfiguration {

    /** How much longer than the API server this process waits. */
    private static final Duration LATER = Duration.ofSeconds(5);

    /** The API server answers a request that takes too long itself, a little earlier. */
    @Bean
    Services passThroughServices(
            @Qualifier("apiServer") ObjectProvider<KubeClient> api,
            Floors floors,
            Source sources,
            RequestTracker requests,
            ClientSettings server,
            LongSupplier nanoTime) {
        return new Services(
                SingletonSupplier.of(api::getObject),
                floors,
                sources::isDiscovered,
                requests,
                server.readTimeout().plus(LATER),
                nanoTime);
    }
}
