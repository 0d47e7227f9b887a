package io.kubemirror;

import io.kubemirror.access.AccessControl;
import io.kubemirror.access.AccessProperties;
import io.kubemirror.access.AccessProperties.AuthenticationMethod;
import io.kubemirror.access.Hosts;
import io.kubemirror.access.Hosts.Reach;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.upstream.ReviewApi;
import io.micrometer.core.instrument.MeterRegistry;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import java.time.InstantSource;
import java.util.concurrent.Executor;

/** Creates the beans that decide who may read. */
@Configuration(proxyBeanMethods = false)
class AccessConfiguration {

    /** A web page of another origin has neither credentials nor a certificate for the name. */
    @Bean
    Hosts hosts(ServerProperties server, MirrorProperties properties) {
        Reach reach = ListenerCheck.isLoopback(server) ? Reach.LOOPBACK : Reach.NETWORK;
        boolean trusted =
                Ssl.isEnabled(server.getSsl()) || !properties.access().authentication().isEmpty();
        return new Hosts(trusted ? Reach.ANYWHERE : reach, properties.allowedHosts());
    }

    @Bean
    AccessControl access(
            MirrorProperties properties,
            ServerProperties server,
            ReviewApi reviews,
            MeterRegistry registry,
            InstantSource clock,
            MemoryBudget clientMemory,
            ObjectProvider<MirrorDirectory> directory) {
        AccessProperties access = properties.access();
        if (access.authentication().isEmpty()) {
            return new AccessControl.Open();
        }
        if (access.authentication().contains(AuthenticationMethod.CLIENT_CERTIFICATE)
                && !requestsCertificates(server.getSsl())) {
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror.access.authentication",
                    access.authentication(),
                    "client-certificate requires TLS; configure server.ssl.* and set"
                            + " server.ssl.client-auth to want or need");
        }
        Executor threads = task -> Thread.ofVirtual().name("review").start(task);
        return new AccessControl.Guarded(
                access,
                new AccessControl.Dependencies(
                        reviews, registry, threads, clock, System::nanoTime, clientMemory),
                wanted -> directory.getObject().namespacesTogether(wanted));
    }

    private static boolean requestsCertificates(@Nullable Ssl tls) {
        return tls != null
                && Ssl.isEnabled(tls)
                && tls.getClientAuth() != null
                && tls.getClientAuth() != Ssl.ClientAuth.NONE;
    }

    @Bean
    ListenerCheck listenerCheck(ServerProperties server, MirrorProperties properties) {
        boolean authenticated = !properties.access().authentication().isEmpty();
        ListenerCheck.checkPassThrough(server, properties);
        return new ListenerCheck(server, authenticated, properties.allowUnauthenticated());
    }
}
