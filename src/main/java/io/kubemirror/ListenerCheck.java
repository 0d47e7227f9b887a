package io.kubemirror;

import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

/**
 * Refuses to serve the mirrored objects to the network in the clear: an address other than loopback
 * needs TLS, or the operator's word that something else protects it.
 *
 * <p>Created before the server opens its port. The management port is not checked: it tells names,
 * numbers and states, no objects, and must be reached by the kubelet and by Prometheus.
 */
final class ListenerCheck {

    /**
     * Checks the address.
     *
     * @param server the address and the TLS settings
     * @param allowed the operator's word
     * @throws MistakeException if objects would go out unprotected
     */
    ListenerCheck(ServerProperties server, boolean allowed) {
        if (!allowed && !AccessReader.isLoopback(server) && !Ssl.isEnabled(server.getSsl())) {
            throw new MistakeException(
                    "server.address",
                    "an address other than loopback would serve the mirrored objects to anybody"
                            + " who can reach it",
                    "use 127.0.0.1, configure TLS by server.ssl.*, or set"
                            + " kubemirror.allow-unauthenticated=true if something else protects"
                            + " it");
        }
    }
}
