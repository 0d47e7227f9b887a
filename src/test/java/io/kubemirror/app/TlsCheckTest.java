package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.kube.TestCertificates;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.mock.env.MockEnvironment;

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
