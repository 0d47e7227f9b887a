package io.kubemirror.app;

import static io.kubemirror.app.AccessProperties.AuthenticationMethod.CLIENT_CERTIFICATE;

import module java.base;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

/**
 * Refuses to start if objects would be served to the network unprotected: an address other than
 * loopback requires TLS or authentication, or {@code kubemirror.allow-unauthenticated}. If one of
 * the two is missing, a warning is logged.
 *
 * <p>Created before the server opens its port. The management port is not checked, because the
 * kubelet and Prometheus must reach it; beyond loopback it serves names, numbers, and states, but
 * no objects.
 *
 * <p>Rejected: requiring both. A service mesh may provide TLS, and public data may need no
 * authentication.
 */
public final class ListenerCheck {

    private static final Logger log = LoggerFactory.getLogger(ListenerCheck.class);

    private final boolean remote;
    private final boolean authenticated;
    private final boolean encrypted;

    /**
     * Checks the address.
     *
     * @param server the address and the TLS settings
     * @param authenticated whether authentication is configured
     * @param allowed whether unauthenticated access is allowed explicitly
     * @throws InvalidConfigurationPropertyValueException if objects would be served unprotected
     */
    ListenerCheck(ServerProperties server, boolean authenticated, boolean allowed) {
        this.remote = !isLoopback(server);
        this.authenticated = authenticated;
        this.encrypted = Ssl.isEnabled(server.getSsl());
        if (remote && !encrypted && !authenticated && !allowed) {
            throw new InvalidConfigurationPropertyValueException(
                    "server.address",
                    server.getAddress(),
                    "every client that can reach an address other than loopback would have access"
                        + " to the mirrored objects; use 127.0.0.1, configure TLS with server.ssl.*"
                        + " or authentication with kubemirror.access.*, or set"
                        + " kubemirror.allow-unauthenticated=true if something else protects it");
        }
    }

    /** Logs which protection is missing. */
    void warn() {
        if (remote && !authenticated) {
            log.warn(
                    "Every client that can reach the address has read access without"
                            + " authentication; see kubemirror.access");
        } else if (remote && !encrypted) {
            log.warn(
                    "The API port uses plain HTTP and does not encrypt tokens and objects;"
                            + " configure TLS with server.ssl.* unless something else encrypts the"
                            + " traffic");
        }
    }

    /**
     * Checks what a start checks of a configuration before it creates anything from it.
     *
     * @throws InvalidConfigurationPropertyValueException if there is a mistake in it
     */
    static ListenerCheck check(ServerProperties server, MirrorProperties properties) {
        var _ = MirrorDefinition.all(properties);
        boolean certificates =
                properties.access().authentication().contains(CLIENT_CERTIFICATE)
                        && !requestsCertificates(server);
        if (certificates) {
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror.access.authentication",
                    properties.access().authentication(),
                    "client-certificate requires TLS; configure server.ssl.* and set"
                            + " server.ssl.client-auth to want or need");
        }
        properties.passThrough().check(server, properties);
        return new ListenerCheck(
                server, properties.needsCredentials(), properties.allowUnauthenticated());
    }

    /** Returns whether TLS of the API asks clients for certificates. */
    public static boolean requestsCertificates(ServerProperties server) {
        Ssl tls = server.getSsl();
        return tls != null
                && Ssl.isEnabled(tls)
                && tls.getClientAuth() != null
                && tls.getClientAuth() != Ssl.ClientAuth.NONE;
    }

    /** Returns whether the API is reachable only from the same machine or pod. */
    public static boolean isLoopback(ServerProperties server) {
        InetAddress address = server.getAddress();
        return address != null && address.isLoopbackAddress();
    }
}
