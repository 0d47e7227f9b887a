package io.kubemirror.feature.page;

import io.kubemirror.api.encode.ListExtensions;
import io.kubemirror.feature.diagnose.DiagnosisInput;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.boot.actuate.autoconfigure.web.server.ConditionalOnManagementPort;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;
import org.springframework.web.servlet.mvc.HttpRequestHandlerAdapter;

import java.io.IOException;
import java.util.function.Supplier;

/**
 * Adds the status page to the management port. If the management port is also the port of the API,
 * there is no page, because all paths belong to the Kubernetes API. Registered with Boot as a
 * configuration of the management context; it has no {@code @Configuration}, so that component
 * scanning does not add it to the API's port.
 */
@Import({StreamSessions.class, HttpRequestHandlerAdapter.class})
@ConditionalOnManagementPort(ManagementPortType.DIFFERENT)
class StatusPageConfiguration {

    /** Before all other handlers. */
    private static final int FIRST = -200;

    @Bean
    SimpleUrlHandlerMapping pageMapping(
            DiagnosisInput input,
            MeterRegistry registry,
            Supplier<PageProperties> pageProperties,
            ListExtensions extensions,
            StreamSessions sessions)
            throws IOException {
        StatusPage page =
                new StatusPage(
                        input,
                        registry,
                        pageProperties,
                        new ObjectPages(extensions),
                        sessions,
                        Thread::sleep);
        return new SimpleUrlHandlerMapping(page.parts(), FIRST);
    }
}
