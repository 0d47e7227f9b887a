package io.kubemirror.feature.page;

import module java.base;

import io.kubemirror.app.health.ProcessDescription;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.boot.actuate.autoconfigure.web.server.ConditionalOnManagementPort;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;
import org.springframework.web.servlet.mvc.HttpRequestHandlerAdapter;

/**
 * Adds the status page to the management port, if that is a port of its own. Registered with Boot
 * as part of the management context; not annotated, because component scanning would apply it to
 * the API's port too.
 */
@ConditionalOnManagementPort(ManagementPortType.DIFFERENT)
@Import(HttpRequestHandlerAdapter.class)
class StatusPageConfiguration {

    private static final int BEFORE_ENDPOINTS = -200;

    @Bean
    StatusPage statusPage(ProcessDescription process, MeterRegistry registry) {
        return new StatusPage(process, registry, Thread::sleep);
    }

    @Bean
    SimpleUrlHandlerMapping statusPageMapping(StatusPage page) {
        return new SimpleUrlHandlerMapping(page.handlers(), BEFORE_ENDPOINTS);
    }

    @Bean
    SimpleUrlHandlerMapping otherPaths() {
        HttpRequestHandler elsewhere = StatusPage::elsewhere;
        return new SimpleUrlHandlerMapping(Map.of("/**", elsewhere), Ordered.LOWEST_PRECEDENCE);
    }
}
