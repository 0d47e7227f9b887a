package io.kubemirror.api.server;

import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;

/**
 * Applies a new server certificate and new client authorities when Spring reloads an SSL bundle
 * ({@code reload-on-update}). Open connections are not affected.
 *
 * <p>Boot does this for Tomcat and Netty, but not for Jetty.
 */
public record CertificateRotation(SslBundles bundles)
        implements WebServerFactoryCustomizer<JettyServletWebServerFactory> {

    private static final Logger log = LoggerFactory.getLogger(CertificateRotation.class);

    @Override
    public void customize(JettyServletWebServerFactory factory) {
        Ssl ssl = factory.getSsl();
        String name = Ssl.isEnabled(ssl) && ssl != null ? ssl.getBundle() : null;
        if (name != null) {
            factory.addServerCustomizers(
                    server ->
                            bundles.addBundleUpdateHandler(
                                    name, bundle -> renew(server, name, bundle)));
        }
    }

    private static void renew(Server server, String name, SslBundle bundle) {
        try {
            for (Connector connector : server.getConnectors()) {
                SslConnectionFactory tls =
                        connector.getConnectionFactory(SslConnectionFactory.class);
                if (tls != null) {
                    tls.getSslContextFactory().reload(context -> fill(context, bundle.getStores()));
                }
            }
            log.info("Reloaded the certificate of {}; new connections use it", name);
        } catch (Exception unusable) {
            log.warn("Cannot reload the certificate of {}: {}", name, unusable.toString());
        }
    }

    private static void fill(SslContextFactory context, SslStoreBundle stores) {
        context.setKeyStorePassword(stores.getKeyStorePassword());
        context.setKeyStore(stores.getKeyStore());
        context.setTrustStore(stores.getTrustStore());
    }
}
