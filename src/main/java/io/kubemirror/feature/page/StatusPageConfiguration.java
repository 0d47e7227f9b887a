package io.kubemirror.feature.page;

import io.kubemirror.api.encode.ListExtensions;
import io.kubemirror.api.server.ManagementPages;
import io.kubemirror.app.CurrentProperties;
import io.kubemirror.feature.diagnose.DiagnosisInput;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Adds the status page to the management port. */
@Configuration(proxyBeanMethods = false)
@Import(StreamSessions.class)
class StatusPageConfiguration {

    @Bean
    ManagementPages statusPage(
            ObjectProvider<DiagnosisInput> input,
            ObjectProvider<MeterRegistry> registry,
            CurrentProperties current,
            ListExtensions extensions,
            StreamSessions sessions) {
        return () ->
                new StatusPage(
                                input.getObject(),
                                registry.getObject(),
                                () -> current.get(PageProperties.class),
                                new ObjectPages(extensions),
                                sessions,
                                Thread::sleep)
                        .parts();
    }
}
