package io.kubemirror.upstream.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.upstream.WatchFrame;
import io.kubemirror.upstream.kube.TransportFailure.FailureKind;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;

/** New credentials and certificates are worth a try only where a certificate is the trouble. */
class TransportFailureTest {

    @Test
    void a_certificate_that_cannot_be_verified_is_not_trusted() {
        assertThat(kind(handshake("PKIX path building failed", new CertificateException("path"))))
                .isEqualTo(FailureKind.UNTRUSTED);
        assertThat(kind(handshake("expired", new CertificateExpiredException("NotAfter"))))
                .isEqualTo(FailureKind.UNTRUSTED);
        assertThat(kind(new SSLPeerUnverifiedException("Hostname 10.0.0.1 not verified")))
                .isEqualTo(FailureKind.UNTRUSTED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bad_certificate",
                "unsupported_certificate",
                "certificate_revoked",
                "certificate_expired",
                "certificate_unknown",
                "certificate_required",
                "unknown_ca",
                "access_denied"
            })
    void a_client_certificate_that_the_server_rejects_is_not_trusted(String alert) {
        String message = "(%s) Received fatal alert: %s".formatted(alert, alert);

        assertThat(kind(new SSLHandshakeException(message))).isEqualTo(FailureKind.UNTRUSTED);
        assertThat(kind(new SSLException("readHandshakeRecord", new SSLException(message))))
                .isEqualTo(FailureKind.UNTRUSTED);
    }

    @Test
    void a_connection_that_breaks_during_the_handshake_says_nothing_about_certificates() {
        assertThat(
                        kind(
                                handshake(
                                        "Remote host terminated the handshake",
                                        new EOFException("SSL peer shut down incorrectly"))))
                .isEqualTo(FailureKind.CUT);
        assertThat(kind(new SSLException("Connection reset", new SocketException("Connection"))))
                .isEqualTo(FailureKind.CUT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Received fatal alert: internal_error",
                "Received fatal alert: protocol_version",
                "Unsupported or unrecognized SSL message"
            })
    void other_trouble_with_tls_says_nothing_about_certificates(String message) {
        assertThat(TransportFailure.of(new SSLException(message)))
                .isEqualTo(new TransportFailure("TLS failed: " + message, FailureKind.CUT));
    }

    @Test
    void silence_is_told_from_a_connection_that_broke() {
        assertThat(TransportFailure.of(new SocketTimeoutException("timeout")).frame().kind())
                .isEqualTo(WatchFrame.Broken.BrokenKind.SILENT);
        assertThat(TransportFailure.of(new SocketException("Connection reset")).frame().kind())
                .isEqualTo(WatchFrame.Broken.BrokenKind.CUT);
    }

    private static FailureKind kind(IOException e) {
        return TransportFailure.of(e).kind();
    }

    private static SSLHandshakeException handshake(String message, Exception cause) {
        SSLHandshakeException e = new SSLHandshakeException(message);
        e.initCause(cause);
        return e;
    }
}
