package io.kubemirror.feature.unix;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.Identity;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerCredentialsTest {

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
}
