package io.kubemirror.feature.access;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.RequestCredentials.Credentials;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.model.Identity;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientCertificatesTest {

    /** Subjects as {@code CN=} goes before them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "anna                            | anna                  | ''",
                "anna,O=dev,O=ops                | anna                  | dev,ops",
                "system:node:n1,O=system:nodes   | system:node:n1        | system:nodes",
                "anna,OU=x,L=y                   | anna                  | ''"
            })
    void common_name_is_the_user_and_organizations_are_groups(
            String subject, String user, String groups) throws Exception {
        Optional<Identity> found = identify(subject, Instant.now());

        List<String> expected = new ArrayList<>();
        if (!groups.isEmpty()) {
            expected.addAll(List.of(groups.split(",", -1)));
        }
        expected.add("system:authenticated");
        assertThat(found).contains(new Identity(user, "", expected, Map.of()));
    }

    @Test
    void certificate_is_rejected_outside_its_validity_period() throws Exception {
        Instant now = Instant.now();

        assertThat(identify("anna", now.plus(Duration.ofHours(2)))).isEmpty();
        assertThat(identify("anna", now.minus(Duration.ofHours(2)))).isEmpty();
    }

    @Test
    void request_without_a_certificate_is_unauthenticated() {
        assertThat(new ClientCertificates(Instant::now).identity(new Credentials("t1", List.of())))
                .isEmpty();
    }

    private static Optional<Identity> identify(String subject, Instant at) throws Exception {
        TestCertificates own = TestCertificates.of(subject, "client");
        return new ClientCertificates(() -> at)
                .identity(new Credentials(null, List.of(own.certificate())));
    }
}
