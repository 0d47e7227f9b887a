package io.kubemirror.ops.page;

import io.kubemirror.ops.DiagnosisInput;

import org.springframework.boot.actuate.autoconfigure.web.server.ConditionalOnManagementPort;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;
import org.springframework.web.servlet.mvc.HttpRequestHandlerAdapter;

/**
 * Puts the page on the management port, and nowhere if that is the API's, whose paths are the API
 * server's. Named to Boot as part of the management context; no {@code @Configuration}, or it would
 * be found for the API's port too.
 */
@ConditionalOnManagementPort(ManagementPortType.DIFFERENT)
class StatusPageConfiguration {

    /** Before whatever else may answer there. */
    private static final int FIRST = -200;

    @Bean
    StreamSessions streamSessions() {
        return new StreamSessions();
    }

    @Bean
    SimpleUrlHandlerMapping pageMapping(DiagnosisInput input, StreamSessions sessions) {
        StatusPage page = new StatusPage(input, sessions, Thread::sleep);
        return new SimpleUrlHandlerMapping(page.parts(), FIRST);
    }

    @Bean
    HttpRequestHandlerAdapter pageAdapter() {
        return new HttpRequestHandlerAdapter();
    }
}
