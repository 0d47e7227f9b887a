package io.kubemirror.api;

import module java.base;

import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.springframework.boot.jetty.JettyWebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** The sessions of HTTP/2 of a server, as Jetty has them. */
public final class Http2Sessions {

    private Http2Sessions() {}

    /** Returns those of the clients of an application, by TLS or not. */
    public static Stream<HTTP2Session> of(ConfigurableApplicationContext application) {
        JettyWebServer server =
                (JettyWebServer) ((WebServerApplicationContext) application).getWebServer();
        return Stream.of(Objects.requireNonNull(server).getServer().getConnectors())
                .flatMap(connector -> connector.getConnectedEndPoints().stream())
                .map(EndPoint::getConnection)
                .map(Http2Sessions::inside)
                .filter(HTTP2Connection.class::isInstance)
                .map(connection -> ((HTTP2Connection) connection).getSession());
    }

    private static Connection inside(Connection connection) {
        return connection instanceof SslConnection tls
                ? tls.getSslEndPoint().getConnection()
                : connection;
    }
}
