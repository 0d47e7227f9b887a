package io.kubemirror.app;

import module java.base;

import io.kubemirror.api.server.OriginGuard.Hosts;
import io.kubemirror.api.server.OriginGuard.Hosts.Reach;
import io.kubemirror.app.config.BoundRecords;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Creates the beans that decide where the API may be served. */
@Configuration(proxyBeanMethods = false)
class ListenerConfiguration {

    /** A web page of another origin has neither credentials nor a certificate for the name. */
    @Bean
    Hosts hosts(ServerProperties server, BoundRecords records) {
        Reach reach = ListenerCheck.isLoopback(server) ? Reach.LOOPBACK : Reach.NETWORK;
        boolean trusted = Ssl.isEnabled(server.getSsl()) || ListenerCheck.needsCredentials(records);
        return new Hosts(
                trusted ? Reach.ANYWHERE : reach,
                records.get(MirrorProperties.class).allowedHosts());
    }

    @Bean
    ListenerCheck listenerCheck(
            ServerProperties server,
            BoundRecords records,
            Environment environment,
            ObjectProvider<SslBundles> bundles) {
        TlsCheck.check(environment, bundles.getIfAvailable());
        ListenerCheck check =
                new ListenerCheck(
                        server,
                        ListenerCheck.needsCredentials(records),
                        records.get(MirrorProperties.class).allowUnauthenticated());
        check.warn();
        return check;
    }
}
