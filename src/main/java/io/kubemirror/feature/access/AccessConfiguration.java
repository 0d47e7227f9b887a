package io.kubemirror.feature.access;

import module java.base;

import io.kubemirror.api.http.AccessControl;
import io.kubemirror.app.AccessProperties;
import io.kubemirror.app.MirrorProperties;
import io.kubemirror.kube.ReviewClient;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Creates what decides who may read. */
@Configuration(proxyBeanMethods = false)
class AccessConfiguration {

    /**
     * Creates access control as configured.
     *
     * @param reviews the API server, which is connected to only if it decides
     */
    @Bean
    AccessControl access(
            MirrorProperties properties,
            ObjectProvider<ReviewClient> reviews,
            MeterRegistry registry,
            InstantSource clock) {
        if (!properties.needsCredentials()) {
            return AccessControl.OPEN;
        }
        AccessProperties access = properties.access();
        Reviewer reviewer =
                new Reviewer(
                        reviews.getObject(),
                        access,
                        registry,
                        task -> Thread.ofVirtual().name("review").start(task),
                        System::nanoTime);
        return new GuardedAccess(access, new ClientCertificates(clock), reviewer);
    }
}
