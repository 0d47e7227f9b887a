package io.kubemirror.feature.page;

import module java.base;

import io.kubemirror.api.server.ManagementPages;
import io.kubemirror.app.ListenerCheck;
import io.kubemirror.app.config.BoundRecords;
import io.kubemirror.app.health.ProcessDescription;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/** Adds the status page to the management port. */
@Configuration(proxyBeanMethods = false)
@Import(StreamSessions.class)
class StatusPageConfiguration {

    @Bean
    ManagementPages statusPage(
            ObjectProvider<ProcessDescription> process,
            ObjectProvider<MeterRegistry> registry,
            ServerProperties server,
            BoundRecords records,
            Environment environment,
            StreamSessions sessions) {
        boolean hasPage = ManagementPortType.get(environment) == ManagementPortType.DIFFERENT;
        PageProperties properties = checked(server, hasPage, records);
        return () ->
                new StatusPage(
                                process.getObject(),
                                registry.getObject(),
                                properties,
                                new ObjectPages(),
                                sessions,
                                Thread::sleep)
                        .parts();
    }

    /**
     * Refuses to show contents on the status page, which every process of the machine can read, if
     * the API does not serve them to all of these.
     *
     * @param hasPage whether the management port is a port of its own
     */
    private static PageProperties checked(
            ServerProperties server, boolean hasPage, BoundRecords records) {
        PageProperties page = records.get(PageProperties.class);
        List<String> shown = page.showContents();
        if (shown.isEmpty()) {
            return page;
        }
        if (!hasPage) {
            throw PageProperties.refusal(
                    shown,
                    "has no effect without a status page; set management.server.port, or remove"
                            + " it");
        }
        if (!ListenerCheck.isOpenOnLoopback(server, records)) {
            throw PageProperties.refusal(
                    shown,
                    "would show contents without authentication to every process that can reach the"
                        + " management port on loopback, although not each of them can read them"
                        + " from the API; remove it");
        }
        ListenerCheck.refuseAnyHost(
                records,
                "lets every web page that points a name at the status page read contents; name"
                        + " the hosts, or remove kubemirror.page.show-contents");
        return page;
    }
}
