package io.kubemirror.access;

import org.jspecify.annotations.Nullable;

import java.security.cert.X509Certificate;
import java.util.List;

/**
 * The credentials of a client. The string representation reveals none of them.
 *
 * @param token a bearer token, null for none
 * @param certificates the certificate chain of the client, trusted by the TLS layer; empty for none
 */
public record Credentials(@Nullable String token, List<X509Certificate> certificates) {

    /** Copies the certificates. */
    public Credentials {
        certificates = List.copyOf(certificates);
    }

    @Override
    public String toString() {
        return "credentials";
    }
}
