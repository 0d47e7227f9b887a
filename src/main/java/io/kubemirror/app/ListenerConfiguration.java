package io.kubemirror.app;

import module java.base;

import io.kubemirror.api.server.OriginGuard.Hosts;
import io.kubemirror.api.server.OriginGuard.Hosts.Reach;
import io.kubemirror.app.config.CurrentProperties;

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
    Supplier<Hosts> hosts(ServerProperties server, CurrentProperties current) {
        Reach reach = ListenerCheck.isLoopback(server) ? Reach.LOOPBACK : Reach.NETWORK;
        boolean encrypted = Ssl.isEnabled(server.getSsl());
        return current.part(
                all -> {
                    boolean trusted = encrypted || ListenerCheck.needsCredentials(all);
                    return new Hosts(
                            trusted ? Reach.ANYWHERE : reach,
                            all.get(MirrorProperties.class).allowedHosts());
                });
    }

    @Bean
    Supplier<ListenerCheck> listenerCheck(
            ServerProperties server,
            CurrentProperties current,
            Environment environment,
            ObjectProvider<SslBundles> bundles) {
        TlsCheck.check(environment, bundles.getIfAvailable());
        Supplier<ListenerCheck> check =
                current.part(
                        all ->
                            new ListenerCheck(
                                    server,
                                    ListenerCheck.needsCredentials(all),
                                    all.get(MirrorProperties.class).allowUnauthenticated()));
        check.get().warn();
        current.listen(ListenerCheck::needsCredentials, (_, _) -> check.get().warn());
        return check;
    }
}
