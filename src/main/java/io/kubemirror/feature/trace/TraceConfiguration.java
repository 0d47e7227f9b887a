package io.kubemirror.feature.trace;

import module java.base;

import io.kubemirror.mirror.ChangeTracer;
import io.micrometer.tracing.Tracer;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Follows a sample of the changes, if there is telemetry. */
@Configuration(proxyBeanMethods = false)
class TraceConfiguration {

    @Bean
    ChangeTracer changeTracer(ObjectProvider<Tracer> tracers, InstantSource clock) {
        Tracer tracer = tracers.getIfAvailable();
        return tracer == null
                ? ChangeTracer.NONE
                : new ChangeSpans(tracer, clock, System::nanoTime);
    }
}
