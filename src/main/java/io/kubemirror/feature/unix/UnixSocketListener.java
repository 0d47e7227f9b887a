package io.kubemirror.feature.unix;

import module java.base;

import io.kubemirror.api.server.JettySettings;

import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.HostPort;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Adds the Unix socket to the server of the API, beside its port or in place of it. Applied before
 * the settings of the API, which are those of all connectors, and after those of Boot.
 *
 * @param socket where it is, if it is configured
 */
@Order(Ordered.LOWEST_PRECEDENCE - 1)
@Configuration(proxyBeanMethods = false)
record UnixSocketListener(UnixSocketProperties socket)
        implements WebServerFactoryCustomizer<JettyServletWebServerFactory> {

    @Override
    public void customize(JettyServletWebServerFactory factory) {
        if (socket.isOn()) {
            boolean port = factory.getPort() >= 0;
            // Boot starts no connector of a server whose port is negative.
            factory.setPort(Math.max(0, factory.getPort()));
            factory.addServerCustomizers(server -> addSocket(server, port));
        }
    }

    /** Adds a connector with the settings of the port, but for its TLS. */
    private void addSocket(Server server, boolean port) {
        List<Connector> connectors = new ArrayList<>();
        for (Connector connector : server.getConnectors()) {
            UnixSocketConnector added =
                    new UnixSocketConnector(
                            server, socket, factories(connector).toArray(ConnectionFactory[]::new));
            // The names distinguish the metrics of connectors.
            added.setName("unix-socket");
            added.checkPlace();
            added.setIdleTimeout(connector.getIdleTimeout());
            added.setAcceptQueueSize(JettySettings.ACCEPT_QUEUE);
            connectors.add(added);
            if (port) {
                connectors.addFirst(connector);
            }
        }
        server.setConnectors(connectors.toArray(Connector[]::new));
    }

    private static List<ConnectionFactory> factories(Connector connector) {
        HttpConfiguration http =
                new HttpConfiguration(
                        connector
                                .getConnectionFactory(HttpConnectionFactory.class)
                                .getHttpConfiguration());
        http.getCustomizers().removeIf(SecureRequestCustomizer.class::isInstance);
        // Jetty takes the path of the socket for the authority of a request without Host, among
        // them the first of HTTP/2, and refuses it.
        http.setServerAuthority(new HostPort("localhost"));
        List<ConnectionFactory> factories = new ArrayList<>();
        factories.add(new HttpConnectionFactory(http));
        if (connector.getConnectionFactory(HTTP2ServerConnectionFactory.class) != null) {
            factories.add(new HTTP2CServerConnectionFactory(http));
        }
        return factories;
    }
}
