package io.kubemirror.access;

import org.jspecify.annotations.Nullable;

import java.security.cert.X509Certificate;
import java.util.List;

/**
 * What somebody shows to be known by; its text shows nothing of it.
 *
 * @param token a bearer token, null for none
 * @param certificates the client's certificate and those that vouch for it, which the server has
 *     found to be trusted; empty for none
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
