package io.kubemirror.feature.access;

import module java.base;

import io.kubemirror.api.http.RequestCredentials.Credentials;
import io.kubemirror.model.Identity;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;

import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/**
 * Authenticates clients by certificates that the TLS layer trusts. As in the API server, the common
 * name is the user and the organizations are the groups. The validity period is checked for each
 * request, since a connection may outlive its certificate.
 */
record ClientCertificates(InstantSource clock) {

    /** Returns the identity of a client, empty if it has no valid certificate. */
    Optional<Identity> identity(Credentials credentials) {
        return credentials.certificates().stream().findFirst().flatMap(this::identity);
    }

    private Optional<Identity> identity(X509Certificate own) {
        try {
            own.checkValidity(Date.from(clock.instant()));
            LdapName subject = new LdapName(own.getSubjectX500Principal().getName());
            List<String> names = values(subject, "CN");
            List<String> groups = values(subject, "O");
            groups.add(Identity.AUTHENTICATED);
            return names.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Identity(names.getLast(), "", groups, Map.of()));
        } catch (CertificateException | NamingException unfit) {
            return Optional.empty();
        }
    }

    /** Returns the distinct values of an attribute, in the order of the certificate. */
    private static List<String> values(LdapName subject, String attribute) throws NamingException {
        List<String> values = new ArrayList<>();
        for (Rdn part : subject.getRdns()) {
            Attribute found = part.toAttributes().get(attribute);
            if (found != null) {
                for (Object value : Collections.list(found.getAll())) {
                    if (value instanceof String text && !text.isEmpty()) {
                        values.add(text);
                    }
                }
            }
        }
        return values;
    }
}
