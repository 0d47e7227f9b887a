package io.kubemirror.feature.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.http.Credentials;
import io.kubemirror.model.Identity;
import io.kubemirror.testing.Results;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

class PeerCredentialsTest {

    private static final Identity PEER =
            new Identity("uid:1000", "", List.of("gid:100", Identity.AUTHENTICATED), Map.of());

    /** The user of this process has a name, and is identified by its number nevertheless. */
    @Test
    void process_is_identified_by_the_numbers_of_its_user_and_its_group(@TempDir Path directory)
            throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("s"));
        try (ServerSocketChannel server =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address)) {
            try (SocketChannel _ = SocketChannel.open(address);
                    SocketChannel accepted = server.accept()) {
                assertThat(PeerCredentials.of(accepted))
                        .isEqualTo(
                                new Identity(
                                        "uid:" + Files.getAttribute(directory, "unix:uid"),
                                        "",
                                        List.of(
                                                "gid:" + gid(Path.of("/proc/self")),
                                                Identity.AUTHENTICATED),
                                        Map.of()));
            }
        }
    }

    private static Object gid(Path process) throws IOException {
        return Files.getAttribute(process, "unix:gid");
    }

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
