package io.kubemirror.api.http;

import module java.base;

import io.kubemirror.model.Permission;

import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;

import java.security.cert.X509Certificate;

/**
 * The credentials that a request was admitted with, attached to the request.
 *
 * @param credentials the credentials of the client
 * @param permission the authorization attributes of the request
 * @param user the name of the client, empty if it is not known
 */
public record RequestCredentials(Credentials credentials, Permission permission, String user) {

    private static final String ATTRIBUTE = RequestCredentials.class.getName();
    private static final String CERTIFICATES = "jakarta.servlet.request.X509Certificate";

    /**
     * Extracts the credentials of a request. Cookies and query parameters are ignored, because
     * other pages can send them and logs can contain them.
     */
    public static RequestCredentials of(HttpServletRequest request, Permission permission) {
        List<X509Certificate> certificates =
                request.getAttribute(CERTIFICATES) instanceof X509Certificate[] chain
                        ? List.of(chain)
                        : List.of();
        String token = token(request.getHeader("Authorization"));
        return new RequestCredentials(new Credentials(token, certificates), permission, "");
    }

    private static @Nullable String token(@Nullable String authorization) {
        if (authorization == null) {
            return null;
        }
        String[] words = authorization.strip().split(" ", 3);
        boolean bearer = words.length > 1 && words[0].equalsIgnoreCase("Bearer");
        return bearer && !words[1].isEmpty() ? words[1] : null;
    }

    /** Returns them with the name of the client, which is known when it has been admitted. */
    public RequestCredentials withUser(String name) {
        return new RequestCredentials(credentials, permission, name);
    }

    /** Returns them with one of the permissions that the request needs. */
    public RequestCredentials with(Permission other) {
        return new RequestCredentials(credentials, other, user);
    }

    /** Attaches the credentials to an admitted request. */
    public void attachTo(HttpServletRequest request) {
        request.setAttribute(ATTRIBUTE, this);
    }

    /** Returns the credentials that a request was admitted with, empty if none are required. */
    public static Optional<RequestCredentials> of(HttpServletRequest request) {
        return request.getAttribute(ATTRIBUTE) instanceof RequestCredentials pass
                ? Optional.of(pass)
                : Optional.empty();
    }

    /**
     * The credentials of a client. The string representation reveals none of them.
     *
     * @param token a bearer token, null for none
     * @param certificates the certificate chain of the client, trusted by the TLS layer; empty for
     *     none
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
}
