package io.kubemirror.app;

import io.kubemirror.api.http.AccessControl;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.server.Hosts;
import io.kubemirror.api.server.Hosts.Reach;
import io.kubemirror.feature.access.AccessProperties;
import io.kubemirror.feature.access.AccessProperties.AuthenticationMethod;
import io.kubemirror.feature.access.AccessProperties.AuthorizationMode;
import io.kubemirror.feature.access.ConfiguredAccess;
import io.kubemirror.feature.access.GuardedAccess;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Permission;
import io.kubemirror.source.ReviewApi;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Function;
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
                MirrorProperties.class,
                properties -> {
                    boolean trusted = encrypted || properties.isAuthenticated();
                    return new Hosts(trusted ? Reach.ANYWHERE : reach, properties.allowedHosts());
                });
    }

    /** Decisions that were cached with other settings are forgotten. */
    @Bean
    AccessControl access(
            CurrentProperties current,
            ServerProperties server,
            @Lazy ReviewApi reviews,
            ObjectProvider<ReviewApi> apiServer,
            MeterRegistry registry,
            InstantSource clock,
            MemoryBudget clientMemory,
            ObjectProvider<MirrorDirectory> directory) {
        MemoryBudget decisions = clientMemory.part("decisions", clientMemory.limit() / DECISIONS);
        Executor threads = task -> Thread.ofVirtual().name("review").start(task);
        GuardedAccess.Dependencies dependencies =
                new GuardedAccess.Dependencies(
                        reviews, registry, threads, clock, System::nanoTime, decisions);
        Supplier<AccessControl> access =
                current.part(
                        MirrorProperties.class,
                        AccessSettings::of,
                        settings -> {
                            if (isReviewed(settings.access())) {
                                var _ = apiServer.getObject();
                            }
                            return access(settings, server, dependencies, directory);
                        });
        decisions.acquire(
                AccessSettings.of(current.get(MirrorProperties.class)).memory(decisions.limit()));
        current.listen(
                MirrorProperties.class,
                AccessSettings::of,
                (before, now) -> {
                    decisions.acquire(now.memory(decisions.limit()));
                    decisions.release(before.memory(decisions.limit()));
                });
        return new ConfiguredAccess(access);
    }

    /** Returns whether the API server decides about clients. */
    private static boolean isReviewed(AccessProperties access) {
        return access.authentication().contains(AuthenticationMethod.TOKEN_REVIEW)
                || (!access.authentication().isEmpty()
                        && access.authorization() == AuthorizationMode.ACCESS_REVIEW);
    }

    /**
     * The settings of access.
     *
     * @param required whether clients need credentials
     */
    private record AccessSettings(AccessProperties access, boolean required) {

        static AccessSettings of(MirrorProperties properties) {
            return new AccessSettings(properties.access(), properties.isAuthenticated());
        }

        /** Returns the memory that decisions may take, in bytes. */
        long memory(long limit) {
            return required ? GuardedAccess.memory(access, limit) : 0;
        }
    }

    private static AccessControl access(
            AccessSettings settings,
            ServerProperties server,
            GuardedAccess.Dependencies dependencies,
            ObjectProvider<MirrorDirectory> directory) {
        AccessProperties access = settings.access();
        Function<Permission.OnResource, List<String>> together =
                wanted -> directory.getObject().namespacesTogether(wanted);
        if (!settings.required()) {
            return AccessControl.OPEN;
        }
        if (access.authentication().contains(AuthenticationMethod.CLIENT_CERTIFICATE)
                && !ListenerCheck.requestsCertificates(server)) {
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror.access.authentication",
                    access.authentication(),
                    "client-certificate requires TLS; configure server.ssl.* and set"
                            + " server.ssl.client-auth to want or need");
        }
        return new GuardedAccess(access, dependencies, together);
    }

    @Bean
    Supplier<ListenerCheck> listenerCheck(ServerProperties server, CurrentProperties current) {
        Supplier<ListenerCheck> check =
                current.part(
                        all -> {
                            MirrorProperties properties = all.get(MirrorProperties.class);
                            ListenerCheck.checkSocket(server, all);
                            ListenerCheck.checkPassThrough(server, properties);
                            return new ListenerCheck(
                                    server,
                                    properties.isAuthenticated(),
                                    properties.allowUnauthenticated());
                        },
                        Function.identity());
        check.get().warn();
        current.listen(
                MirrorProperties.class,
                MirrorProperties::isAuthenticated,
                (_, _) -> check.get().warn());
        return check;
    }
}
