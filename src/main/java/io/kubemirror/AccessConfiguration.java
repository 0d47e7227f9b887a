package io.kubemirror;

import io.kubemirror.access.AccessControl;
import io.kubemirror.access.AccessControl.Guarded;
import io.kubemirror.access.AccessProperties;
import io.kubemirror.access.AccessProperties.AuthenticationMethod;
import io.kubemirror.access.Hosts;
import io.kubemirror.access.Hosts.Reach;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.upstream.ReviewApi;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** Creates the beans that decide who may read. */
@Configuration(proxyBeanMethods = false)
class AccessConfiguration {

    /** The part of clients' memory that cached decisions may take. */
    private static final int DECISIONS = 8;

    /** A web page of another origin has neither credentials nor a certificate for the name. */
    @Bean
    Supplier<Hosts> hosts(ServerProperties server, CurrentProperties current) {
        Reach reach = ListenerCheck.isLoopback(server) ? Reach.LOOPBACK : Reach.NETWORK;
        boolean encrypted = Ssl.isEnabled(server.getSsl());
        return current.part(
                properties -> {
                    boolean trusted = encrypted || isAuthenticated(properties);
                    return new Hosts(trusted ? Reach.ANYWHERE : reach, properties.allowedHosts());
                });
    }

    /** Decisions that were cached with other settings are forgotten. */
    @Bean
    Supplier<AccessControl> access(
            CurrentProperties current,
            ServerProperties server,
            ReviewApi reviews,
            MeterRegistry registry,
            InstantSource clock,
            MemoryBudget clientMemory,
            ObjectProvider<MirrorDirectory> directory) {
        MemoryBudget decisions = clientMemory.part("decisions", clientMemory.limit() / DECISIONS);
        Executor threads = task -> Thread.ofVirtual().name("review").start(task);
        AccessControl.Dependencies dependencies =
                new AccessControl.Dependencies(
                        reviews, registry, threads, clock, System::nanoTime, decisions);
        Supplier<AccessControl> access =
                current.part(
                        MirrorProperties::access,
                        properties -> access(properties, server, dependencies, directory));
        decisions.acquire(Guarded.memory(current.get().access(), decisions.limit()));
        current.listen(
                MirrorProperties::access,
                (before, now) -> {
                    decisions.acquire(Guarded.memory(now, decisions.limit()));
                    decisions.release(Guarded.memory(before, decisions.limit()));
                });
        return access;
    }

    private static AccessControl access(
            AccessProperties access,
            ServerProperties server,
            AccessControl.Dependencies dependencies,
            ObjectProvider<MirrorDirectory> directory) {
        if (access.authentication().isEmpty()) {
            return new AccessControl.Open();
        }
        if (access.authentication().contains(AuthenticationMethod.CLIENT_CERTIFICATE)
                && !ListenerCheck.requestsCertificates(server)) {
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror.access.authentication",
                    access.authentication(),
                    "client-certificate requires TLS; configure server.ssl.* and set"
                            + " server.ssl.client-auth to want or need");
        }
        return new Guarded(
                access, dependencies, wanted -> directory.getObject().namespacesTogether(wanted));
    }

    private static boolean isAuthenticated(MirrorProperties properties) {
        return !properties.access().authentication().isEmpty();
    }

    @Bean
    Supplier<ListenerCheck> listenerCheck(
            ServerProperties server, CurrentProperties current, Environment environment) {
        boolean hasPage = ManagementPortType.get(environment) == ManagementPortType.DIFFERENT;
        Supplier<ListenerCheck> check =
                current.part(
                        properties -> {
                            ListenerCheck.checkSocket(server, properties);
                            ListenerCheck.checkPassThrough(server, properties);
                            ListenerCheck.checkPage(server, hasPage, properties);
                            return new ListenerCheck(
                                    server,
                                    isAuthenticated(properties),
                                    properties.allowUnauthenticated());
                        });
        check.get().warn();
        current.listen(AccessConfiguration::isAuthenticated, (_, _) -> check.get().warn());
        return check;
    }
}
