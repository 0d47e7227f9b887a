package io.kubemirror.kube.json;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.Failure.Unreachable.Kind;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;

/** Credentials are renewed only after failures that a certificate caused. */
class TransportFailureTest {

    @Test
    void unverifiable_certificate_is_untrusted() {
        assertThat(kind(handshake("PKIX path building failed", new CertificateException("path"))))
                .isEqualTo(Kind.UNTRUSTED);
        assertThat(kind(handshake("expired", new CertificateExpiredException("NotAfter"))))
                .isEqualTo(Kind.UNTRUSTED);
        assertThat(kind(new SSLPeerUnverifiedException("Hostname 10.0.0.1 not verified")))
                .isEqualTo(Kind.UNTRUSTED);
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
    void client_certificate_rejected_by_the_server_is_untrusted(String alert) {
        String message = "(%s) Received fatal alert: %s".formatted(alert, alert);

        assertThat(kind(new SSLHandshakeException(message))).isEqualTo(Kind.UNTRUSTED);
        assertThat(kind(new SSLException("readHandshakeRecord", new SSLException(message))))
                .isEqualTo(Kind.UNTRUSTED);
    }

    @Test
    void broken_connection_is_not_a_certificate_failure() {
        assertThat(
                        kind(
                                handshake(
                                        "Remote host terminated the handshake",
                                        new EOFException("SSL peer shut down incorrectly"))))
                .isEqualTo(Kind.BROKEN);
        assertThat(kind(new EOFException("\\n not found: limit=0"))).isEqualTo(Kind.BROKEN);
        assertThat(kind(new SSLException("Connection reset", new SocketException("Connection"))))
                .isEqualTo(Kind.BROKEN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Received fatal alert: internal_error",
                "Received fatal alert: protocol_version",
                "Unsupported or unrecognized SSL message"
            })
    void other_tls_errors_are_not_certificate_failures(String message) {
        assertThat(TransportFailure.of(new SSLException(message)))
                .isEqualTo(new Unreachable("TLS failed: " + message, Kind.BROKEN));
    }

    @Test
    void read_timeout_is_distinguished_from_a_broken_connection() {
        assertThat(end(new SocketTimeoutException("timeout"))).isEqualTo(BrokenKind.SILENT);
        assertThat(end(new InterruptedIOException("deadline"))).isEqualTo(BrokenKind.SILENT);
        assertThat(end(new SocketException("Connection reset"))).isEqualTo(BrokenKind.CUT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.example", "a.example: Name or service not known"})
    void host_that_cannot_be_resolved_is_named(String message) {
        assertThat(TransportFailure.of(new UnknownHostException(message)))
                .isEqualTo(new Unreachable("cannot resolve the host name a.example", Kind.REFUSED));
    }

    private static Kind kind(IOException e) {
        return ((Unreachable) TransportFailure.of(e)).kind();
    }

    private static BrokenKind end(IOException e) {
        return ((WatchFrame.Broken) TransportFailure.frame(TransportFailure.of(e))).kind();
    }

    private static SSLHandshakeException handshake(String message, Exception cause) {
        SSLHandshakeException e = new SSLHandshakeException(message);
        e.initCause(cause);
        return e;
    }
}
