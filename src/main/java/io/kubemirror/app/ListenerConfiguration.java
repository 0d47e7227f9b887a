package io.kubemirror.app;

import module java.base;

import io.kubemirror.api.server.OriginGuard.Hosts;
import io.kubemirror.api.server.OriginGuard.Hosts.Reach;

import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Creates the beans that decide where the API may be served. */
@Configuration(proxyBeanMethods = false)
class ListenerConfiguration {

    /** A web page of another origin has neither credentials nor a certificate for the name. */
    @Bean
    Hosts hosts(ServerProperties server, MirrorProperties properties) {
        Reach reach = ListenerCheck.isLoopback(server) ? Reach.LOOPBACK : Reach.NETWORK;
        boolean trusted = Ssl.isEnabled(server.getSsl()) || properties.needsCredentials();
        return new Hosts(trusted ? Reach.ANYWHERE : reach, properties.allowedHosts());
    }

    @Bean
    ListenerCheck listenerCheck(ServerProperties server, MirrorProperties properties) {
        ListenerCheck check = ListenerCheck.check(server, properties);
        check.warn();
        return check;
    }
}
