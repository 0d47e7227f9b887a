package io.kubemirror.app;

import module java.base;

import io.kubemirror.kube.KeyPairs;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerSslBundle;
import org.springframework.core.env.Environment;

import java.security.cert.X509Certificate;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.X509KeyManager;

/**
 * Refuses TLS settings with which a listener would open its port, and then fail each handshake: a
 * certificate with another one's key, no key, and names that the JVM does not know. Warns of a
 * certificate that has expired.
 */
final class TlsCheck {

    private static final Logger log = LoggerFactory.getLogger(TlsCheck.class);

    /** Those of the keys that TLS has. */
    private static final List<String> KEYS = List.of("RSA", "EC", "EdDSA");

    private final String prefix;
    private final Ssl settings;

    private TlsCheck(String prefix, Ssl settings) {
        this.prefix = prefix;
        this.settings = settings;
    }

    /**
     * Checks both listeners.
     *
     * @throws InvalidConfigurationPropertyValueException if no client could connect
     */
    static void check(Environment environment, @Nullable SslBundles bundles) {
        for (String prefix : List.of("server.ssl", "management.server.ssl")) {
            Ssl settings = Binder.get(environment).bind(prefix, Ssl.class).orElse(null);
            if (settings != null && Ssl.isEnabled(settings)) {
                TlsCheck check = new TlsCheck(prefix, settings);
                check.check(check.bundle(bundles));
            }
        }
    }

    private SslBundle bundle(@Nullable SslBundles bundles) {
        try {
            return WebServerSslBundle.get(settings, bundles);
        } catch (IllegalStateException e) {
            if (String.valueOf(e.getMessage()).startsWith("SSL is enabled but")) {
                throw refused(
                        prefix,
                        "has no certificate with its key; set certificate and"
                                + " certificate-private-key, or key-store, or bundle below it");
            }
            throw e;
        }
    }

    private void check(SslBundle bundle) {
        checkKey(bundle);
        SSLParameters known = bundle.createSslContext().getSupportedSSLParameters();
        checkNames("enabled-protocols", settings.getEnabledProtocols(), known.getProtocols());
        checkNames("ciphers", settings.getCiphers(), known.getCipherSuites());
        for (KeyManager manager : bundle.getManagers().getKeyManagers()) {
            if (manager instanceof X509KeyManager keys) {
                KEYS.forEach(type -> checkPairs(type, keys));
            }
        }
    }

    private void checkKey(SslBundle bundle) {
        KeyStore store = bundle.getStores().getKeyStore();
        String alias = bundle.getKey().getAlias();
        try {
            if (store == null
                    || (alias == null
                            ? Collections.list(store.aliases()).stream().noneMatch(isKey(store))
                            : !isKey(store).test(alias))) {
                throw refused(owner(), "has no such private key; set one, or correct key-alias");
            }
        } catch (KeyStoreException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Predicate<String> isKey(KeyStore store) {
        return alias -> {
            try {
                return store.isKeyEntry(alias);
            } catch (KeyStoreException e) {
                throw new IllegalStateException(e);
            }
        };
    }

    private void checkNames(String property, String @Nullable [] names, String[] known) {
        for (String name : names == null ? new String[0] : names) {
            if (!List.of(known).contains(name)) {
                throw refused(
                        prefix + "." + property,
                        "'%s' is unknown; use names such as %s, or remove it"
                                .formatted(name, known[0]));
            }
        }
    }

    private void checkPairs(String type, X509KeyManager keys) {
        String[] aliases = keys.getServerAliases(type, null);
        for (String alias : aliases == null ? new String[0] : aliases) {
            PrivateKey key = keys.getPrivateKey(alias);
            X509Certificate[] chain = keys.getCertificateChain(alias);
            if (key != null && chain != null) {
                if (!KeyPairs.isPair(key, chain[0])) {
                    throw refused(
                            owner(),
                            "the certificate is that of another private key; use the key of this"
                                    + " certificate, with the server's certificate first in its"
                                    + " file");
                }
                warnOfEnd(chain[0].getNotAfter().toInstant());
            }
        }
    }

    /** Some clients do not check the date, and a renewed file may be reloaded. */
    private void warnOfEnd(Instant end) {
        if (end.isBefore(Instant.now())) {
            log.warn("{}: the certificate has expired at {}; renew it", owner(), end);
        }
    }

    private String owner() {
        return prefix
                + (settings.getBundle() != null
                        ? ".bundle"
                        : settings.getCertificate() != null ? ".certificate" : ".key-store");
    }

    private static InvalidConfigurationPropertyValueException refused(
            String property, String problemAndRemedy) {
        return new InvalidConfigurationPropertyValueException(property, null, problemAndRemedy);
    }
}
