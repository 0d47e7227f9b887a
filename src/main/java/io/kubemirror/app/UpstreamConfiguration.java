package io.kubemirror.app;

import module java.base;

import io.kubemirror.app.MirrorProperties.UpstreamProperties;
import io.kubemirror.kube.ClientSettings;
import io.kubemirror.kube.KubeClient;
import io.kubemirror.kube.ReviewClient;
import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ResourceName;
import io.kubemirror.source.Source;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;

/**
 * Connects to the sources of the configured resources. The Kubernetes API server is the last one,
 * and is needed only if no other source holds a resource, or if requests or reviews of clients are
 * sent to it.
 */
@Configuration(proxyBeanMethods = false)
class UpstreamConfiguration {

    private static final Logger log = LoggerFactory.getLogger(UpstreamConfiguration.class);

    /** How long a connection may take to be established. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private static final String API_SERVER = "apiServer";

    /** What every source has in common. */
    @Bean
    ClientSettings clientSettings(MirrorProperties properties, MemoryBudget mirrorMemory) {
        UpstreamProperties upstream = properties.upstream();
        return new ClientSettings(
                KubeMirrorApplication.built("version"),
                CONNECT_TIMEOUT,
                upstream.readTimeout(),
                MemoryConfiguration.objectLimit(mirrorMemory.limit()),
                mirrorMemory);
    }

    /** Is asked last and only if necessary; its settings are not read before. */
    @Bean(name = API_SERVER, defaultCandidate = false)
    @Lazy
    KubeClient apiServer(MirrorProperties properties, ClientSettings settings) {
        return new KubeClient(
                properties.upstream().settings(), ProcessEnvironment.ofProcess(), settings);
    }

    /** A configuration whose sources cannot be connected to is refused. */
    @Bean
    @Primary
    Sources sources(
            ObjectProvider<Source> first,
            @Qualifier(API_SERVER) ObjectProvider<KubeClient> apiServer,
            MirrorProperties properties,
            ClientSettings settings) {
        List<Source> all = new ArrayList<>(first.orderedStream().toList());
        Predicate<ResourceName> held = name -> all.stream().anyMatch(one -> one.holds(name));
        if (!properties.resources().stream()
                .map(one -> one.isOnDemand() ? Sources.ANY : one.name())
                .allMatch(held)) {
            all.add(apiServer.getObject());
        }
        Sources sources = new Sources(all);
        log.info("kubemirror {} mirrors {}", settings.version(), sources.description().text());
        return sources;
    }

    /** Reviews by the API server. */
    @Bean
    @Lazy
    ReviewClient reviewClient(@Qualifier(API_SERVER) KubeClient apiServer) {
        return new ReviewClient(apiServer);
    }
}
