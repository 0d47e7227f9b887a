package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.kube.TestCertificates;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;

import java.security.cert.Certificate;

@ExtendWith(OutputCaptureExtension.class)
class TlsCheckTest {

    private static final String OTHER_KEY =
            ": the certificate is that of another private key; use the key of this certificate,"
                    + " with the server's certificate first in its file";

    private final MockEnvironment environment = new MockEnvironment();
    private final DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry();
    private final TestCertificates own = certificate();
    private final TestCertificates other = certificate();

    private static TestCertificates certificate() {
        try {
            return TestCertificates.of("mirror", "127.0.0.1");
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void configure(String prefix, TestCertificates certificate, TestCertificates key)
            throws Exception {
        environment.setProperty(prefix + ".enabled", "true");
        environment.setProperty(prefix + ".certificate", certificate.certificatePem());
        environment.setProperty(prefix + ".certificate-private-key", key.keyPem());
    }

    private String mistake() {
        try {
            TlsCheck.check(environment, bundles);
            return "";
        } catch (RuntimeException e) {
            return BoundProperties.mistake(e);
        }
    }

    @ParameterizedTest
    @CsvSource({"server.ssl", "management.server.ssl"})
    void certificate_with_the_key_of_another_one_is_refused(String prefix) throws Exception {
        configure(prefix, own, own);
        assertThat(mistake()).isEmpty();

        configure(prefix, own, other);
        assertThat(mistake()).isEqualTo(prefix + ".certificate" + OTHER_KEY);
    }

    @Test
    void bundle_with_the_key_of_another_certificate_is_refused() throws Exception {
        bundles.registerBundle(
                "web",
                SslBundle.of(
                        new PemSslStoreBundle(
                                PemSslStoreDetails.forCertificate(own.certificatePem())
                                        .withPrivateKey(other.keyPem()),
                                null)));
        environment.setProperty("server.ssl.bundle", "web");

        assertThat(mistake()).isEqualTo("server.ssl.bundle" + OTHER_KEY);
    }

    @ParameterizedTest
    @CsvSource({
        "web, ''",
        "nobody, 'server.ssl.bundle: has no such private key; set one, or correct key-alias'"
    })
    void alias_of_a_bundle_is_that_of_a_private_key(String alias, String line) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        char[] password = {'x'};
        Certificate[] chain = {own.certificate()};
        store.setKeyEntry("web", own.keys().getPrivate(), password, chain);
        bundles.registerBundle(
                "own",
                SslBundle.of(SslStoreBundle.of(store, "x", null), SslBundleKey.of("x", alias)));
        environment.setProperty("server.ssl.bundle", "own");

        assertThat(mistake()).isEqualTo(line);
    }

    @Test
    void certificate_without_a_key_is_refused() throws Exception {
        environment.setProperty("server.ssl.certificate", own.certificatePem());

        assertThat(mistake())
                .isEqualTo(
                        "server.ssl: has no certificate with its key; set certificate and"
                                + " certificate-private-key, or key-store, or bundle below it");
    }

    @Test
    void certificate_that_has_expired_is_a_warning_with_the_date(CapturedOutput output)
            throws Exception {
        TestCertificates old = own.until(Instant.parse("2026-01-02T03:04:05Z"));
        configure("server.ssl", old, old);

        assertThat(mistake()).isEmpty();
        assertThat(output)
                .containsOnlyOnce(
                        "server.ssl.certificate: the certificate has expired at"
                                + " 2026-01-02T03:04:05Z; renew it");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    enabled-protocols | SSLv9 | server.ssl.enabled-protocols: 'SSLv9' is unknown; use names such as TLSv1.3, or remove it
                    ciphers | NOPE | server.ssl.ciphers: 'NOPE' is unknown; use names such as TLS_AES_256_GCM_SHA384, or remove it
                    """)
    void name_that_the_jvm_does_not_know_is_refused(String property, String value, String line)
            throws Exception {
        configure("server.ssl", own, own);
        environment.setProperty("server.ssl." + property, value);

        assertThat(mistake()).isEqualTo(line);
    }

    @Test
    void tls_that_is_off_is_not_checked() throws Exception {
        configure("server.ssl", own, other);
        environment.setProperty("server.ssl.enabled", "false");

        assertThat(mistake()).isEmpty();
    }
}
