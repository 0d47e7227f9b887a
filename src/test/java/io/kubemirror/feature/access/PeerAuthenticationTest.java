package io.kubemirror.feature.access;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.RequestCredentials.Credentials;
import io.kubemirror.model.Identity;
import io.kubemirror.testing.Results;

import org.junit.jupiter.api.Test;

class PeerAuthenticationTest {

    private static final Identity PEER =
            new Identity("uid:1000", "", List.of("gid:100", Identity.AUTHENTICATED), Map.of());

    @Test
    void process_without_a_token_has_its_own_identity() {
        assertThat(identity(new Credentials(null, List.of(), PEER))).contains(PEER);
    }

    @Test
    void invalid_token_is_not_replaced_by_the_identity_of_the_process() {
        assertThat(identity(new Credentials("invalid", List.of(), PEER))).isEmpty();
    }

    @Test
    void client_by_tcp_has_no_identity() {
        assertThat(identity(new Credentials(null, List.of()))).isEmpty();
    }

    private static Optional<Identity> identity(Credentials credentials) {
        return Results.value(GuardedAccess.peer(credentials));
    }
}
