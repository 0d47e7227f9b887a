package io.kubemirror.feature.access;

import module java.base;

import io.kubemirror.api.http.AccessControl;
import io.kubemirror.app.ListenerCheck;
import io.kubemirror.app.config.BoundRecords;
import io.kubemirror.feature.access.AccessProperties.AuthenticationMethod;
import io.kubemirror.kube.ReviewApi;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Creates what decides who may read. */
@Configuration(proxyBeanMethods = false)
class AccessConfiguration {

    /**
     * Creates access control as configured.
     *
     * @param reviews the API server, which is connected to only if it decides
     * @throws InvalidConfigurationPropertyValueException if TLS does not ask for the certificates
     *     that clients are authenticated by
     */
    @Bean
    AccessControl access(
            BoundRecords records,
            ServerProperties server,
            ObjectProvider<ReviewApi> reviews,
            MeterRegistry registry,
            InstantSource clock) {
        AccessProperties properties = records.get(AccessProperties.class);
        List<AuthenticationMethod> methods = properties.authentication();
        if (methods.contains(AuthenticationMethod.CLIENT_CERTIFICATE)
                && !ListenerCheck.requestsCertificates(server)) {
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror.access.authentication",
                    methods,
                    "client-certificate requires TLS; configure server.ssl.* and set"
                            + " server.ssl.client-auth to want or need");
        }
        if (!ListenerCheck.needsCredentials(records)) {
            return AccessControl.OPEN;
        }
        Reviewer reviewer =
                new Reviewer(
                        reviews.getObject(),
                        properties,
                        registry,
                        task -> Thread.ofVirtual().name("review").start(task),
                        System::nanoTime);
        return new GuardedAccess(properties, new ClientCertificates(clock), reviewer, registry);
    }
}
