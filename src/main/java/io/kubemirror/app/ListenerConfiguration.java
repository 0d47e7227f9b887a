package io.kubemirror.app;

import static io.kubemirror.app.AccessProperties.AuthenticationMethod.CLIENT_CERTIFICATE;

import module java.base;

import io.kubemirror.api.server.GracefulShutdown.ShutdownProperties;
import io.kubemirror.api.server.JettySettings.ConnectionProperties;
import io.kubemirror.api.server.OriginGuard.Hosts;
import io.kubemirror.api.server.OriginGuard.Hosts.Reach;
import io.kubemirror.api.watch.WatchProperties;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Decides where the API may be served, and creates the parts of the configuration that it uses.
 *
 * <p>Refuses to start if objects would be served to the network unprotected: an address other than
 * loopback requires TLS or authentication, or {@code kubemirror.allow-unauthenticated}. If one of
 * the two is missing, a warning is logged.
 *
 * <p>The management port is not checked, because the kubelet and Prometheus must reach it; beyond
 * loopback it serves names, numbers, and states, but no objects.
 *
 * <p>Rejected: requiring both. A service mesh may provide TLS, and public data may need no
 * authentication.
 */
@Configuration(proxyBeanMethods = false)
class ListenerConfiguration {

    private static final Logger log = LoggerFactory.getLogger(ListenerConfiguration.class);

    /**
     * Checked before the server opens its port. A web page of another origin has neither
     * credentials nor a certificate for the name.
     */
    @Bean
    Hosts hosts(ServerProperties server, MirrorProperties properties) {
        check(server, properties);
        boolean encrypted = Ssl.isEnabled(server.getSsl());
        boolean authenticated = properties.needsCredentials();
        Reach reach = isLoopback(server) ? Reach.LOOPBACK : Reach.NETWORK;
        if (reach == Reach.NETWORK && !authenticated) {
            log.warn(
                    "Every client that can reach the address has read access without"
                            + " authentication; see kubemirror.access");
        } else if (reach == Reach.NETWORK && !encrypted) {
            log.warn(
                    "The API port uses plain HTTP and does not encrypt tokens and objects;"
                            + " configure TLS with server.ssl.* unless something else encrypts the"
                            + " traffic");
        }
        return new Hosts(
                encrypted || authenticated ? Reach.ANYWHERE : reach, properties.allowedHosts());
    }

    /** Refuses what a start refuses of a configuration before it creates anything from it. */
    static void check(ServerProperties server, MirrorProperties properties) {
        var _ = MirrorDefinition.all(properties);
        MirrorProperties.refuse(
                properties.access().authentication().contains(CLIENT_CERTIFICATE)
                        && !requestsCertificates(server),
                "kubemirror.access.authentication",
                "client-certificate requires TLS; configure server.ssl.* and set"
                        + " server.ssl.client-auth to want or need");
        properties.passThrough().check(server, properties);
        boolean guarded = Ssl.isEnabled(server.getSsl()) || properties.needsCredentials();
        MirrorProperties.refuse(
                !isLoopback(server) && !guarded && !properties.allowUnauthenticated(),
                "server.address",
                "every client that can reach an address other than loopback would have access"
                        + " to the mirrored objects; use 127.0.0.1, configure TLS with server.ssl.*"
                        + " or authentication with kubemirror.access.*, or set"
                        + " kubemirror.allow-unauthenticated=true if something else protects it");
    }

    /** Returns whether TLS of the API asks clients for certificates. */
    private static boolean requestsCertificates(ServerProperties server) {
        Ssl tls = server.getSsl();
        return tls != null
                && Ssl.isEnabled(tls)
                && tls.getClientAuth() != null
                && tls.getClientAuth() != Ssl.ClientAuth.NONE;
    }

    /** Returns whether the API is reachable only from the same machine or pod. */
    static boolean isLoopback(ServerProperties server) {
        InetAddress address = server.getAddress();
        return address != null && address.isLoopbackAddress();
    }

    @Bean
    ShutdownProperties shutdownProperties(MirrorProperties properties) {
        return properties.shutdown();
    }

    @Bean
    ConnectionProperties connectionProperties(MirrorProperties properties) {
        return properties.connections();
    }

    @Bean
    WatchProperties watchProperties(MirrorProperties properties) {
        return properties.watches();
    }
}
