package io.kubemirror.feature.access;

import module java.base;

import io.kubemirror.api.http.AccessControl;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.app.ListenerCheck;
import io.kubemirror.app.config.BoundRecords;
import io.kubemirror.feature.access.AccessProperties.AuthenticationMethod;
import io.kubemirror.feature.access.AccessProperties.AuthorizationMode;
import io.kubemirror.kube.ReviewApi;
import io.kubemirror.model.MemoryBudget;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Creates what decides who may read. */
@Configuration(proxyBeanMethods = false)
class AccessConfiguration {

    /** The part of clients' memory that cached decisions may take. */
    private static final int DECISIONS = 8;

    @Bean
    AccessControl access(
            BoundRecords records,
            ServerProperties server,
            ObjectProvider<ReviewApi> reviews,
            MeterRegistry registry,
            InstantSource clock,
            MemoryBudget clientMemory,
            ObjectProvider<MirrorDirectory> directory) {
        MemoryBudget decisions = clientMemory.part("decisions", clientMemory.limit() / DECISIONS);
        GuardedAccess.Dependencies dependencies =
                new GuardedAccess.Dependencies(
                        reviews::getObject,
                        registry,
                        task -> Thread.ofVirtual().name("review").start(task),
                        clock,
                        System::nanoTime,
                        decisions);
        AccessSettings settings = AccessSettings.of(records);
        if (settings.isReviewed()) {
            var _ = reviews.getObject();
        }
        decisions.acquire(settings.memory(decisions.limit()));
        return settings.access(server, dependencies, directory);
    }

    /**
     * What access control is made from.
     *
     * @param required whether clients need credentials
     */
    private record AccessSettings(AccessProperties properties, boolean required) {

        static AccessSettings of(BoundRecords records) {
            return new AccessSettings(
                    records.get(AccessProperties.class), ListenerCheck.needsCredentials(records));
        }

        boolean uses(AuthenticationMethod method) {
            return properties.authentication().contains(method);
        }

        /** Returns whether the API server decides about clients. */
        boolean isReviewed() {
            return uses(AuthenticationMethod.TOKEN_REVIEW)
                    || (properties.needsCredentials()
                            && properties.authorization() == AuthorizationMode.ACCESS_REVIEW);
        }

        /** Returns the memory that decisions may take, in bytes. */
        long memory(long limit) {
            return required ? GuardedAccess.memory(properties, limit) : 0;
        }

        AccessControl access(
                ServerProperties server,
                GuardedAccess.Dependencies dependencies,
                ObjectProvider<MirrorDirectory> directory) {
            if (uses(AuthenticationMethod.CLIENT_CERTIFICATE)
                    && !ListenerCheck.requestsCertificates(server)) {
                throw refusal(
                        "client-certificate requires TLS; configure server.ssl.* and set"
                                + " server.ssl.client-auth to want or need");
            }
            return required
                    ? new GuardedAccess(properties, dependencies, directory::getObject)
                    : AccessControl.OPEN;
        }

        private InvalidConfigurationPropertyValueException refusal(String problemAndRemedy) {
            return new InvalidConfigurationPropertyValueException(
                    "kubemirror.access.authentication",
                    properties.authentication(),
                    problemAndRemedy);
        }
    }
}
