package io.kubemirror.api.http;

import io.kubemirror.model.Identity;

import org.jspecify.annotations.Nullable;

import java.security.cert.X509Certificate;
import java.util.List;

/**
 * The credentials of a client. The string representation reveals none of them.
 *
 * @param token a bearer token, null for none
 * @param certificates the certificate chain of the client, trusted by the TLS layer; empty for none
 * @param peer the process at the other end of a Unix socket, null for a client that uses TCP
 */
public record Credentials(
        @Nullable String token, List<X509Certificate> certificates, @Nullable Identity peer) {

    /** Copies the certificates. */
    public Credentials {
        certificates = List.copyOf(certificates);
    }

    /** Creates the credentials of a client that uses TCP. */
    public Credentials(@Nullable String token, List<X509Certificate> certificates) {
        this(token, certificates, null);
    }

    @Override
    public String toString() {
        return "credentials";
    }
}
