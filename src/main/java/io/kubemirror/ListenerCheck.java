package io.kubemirror;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

/**
 * Refuses to serve the mirrored objects to the network as they are: an address other than loopback
 * needs TLS or authentication, or the operator's word that something else protects it. Where one of
 * the two is missing, the log says what that means.
 *
 * <p>Created before the server opens its port. The management port is not checked: it tells others
 * than its own machine names, numbers and states, no objects, and must be reached by the kubelet
 * and by Prometheus.
 *
 * <p>Rejected: to demand both. Behind a service mesh TLS is somebody else's, and what is no secret
 * to a network may need no authentication.
 */
final class ListenerCheck {

    private static final Logger log = LoggerFactory.getLogger(ListenerCheck.class);

    /**
     * Checks the address.
     *
     * @param server the address and the TLS settings
     * @param authenticated whether clients are asked for credentials
     * @param allowed the operator's word
     * @throws ConfigurationErrorException if objects would go out unprotected
     */
    ListenerCheck(ServerProperties server, boolean authenticated, boolean allowed) {
        if (AccessReader.isLoopback(server)) {
            return;
        }
        boolean encrypted = Ssl.isEnabled(server.getSsl());
        if (!encrypted && !authenticated && !allowed) {
            throw new ConfigurationErrorException(
                    "server.address",
                    "an address other than loopback would serve the mirrored objects to anybody"
                            + " who can reach it",
                    "use 127.0.0.1, configure TLS by server.ssl.* or clients by"
                            + " kubemirror.access.*, or set kubemirror.allow-unauthenticated=true"
                            + " if something else protects it");
        }
        if (!authenticated) {
            log.warn("Everybody who can reach the address may read; see kubemirror.access");
        } else if (!encrypted) {
            log.warn(
                    "Tokens and objects cross the network in the clear; configure TLS by"
                            + " server.ssl.* unless something else encrypts them");
        }
    }
}
