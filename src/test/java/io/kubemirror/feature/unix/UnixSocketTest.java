package io.kubemirror.feature.unix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.RawClient;
import io.kubemirror.api.server.ConnectionLimiter;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionProperties;
import io.kubemirror.api.watch.WatcherDirectory.WatcherInfo;
import io.kubemirror.testing.WaitLimit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Tests the API on a Unix socket: its file, its limits, and what runs over it. */
@Timeout(45) // below Jetty's idle timeout, which would close everything too
class UnixSocketTest {

    private static final String LIST = "/api/v1/pods";
    private static final String WATCH = LIST + "?watch=1&resourceVersion=110";
    private static final Duration LONG = Duration.ofHours(1);

    @TempDir private Path directory;

    private Path socket() {
        return directory.resolve("api.sock");
    }

    private ApiFixture serving(ConnectionProperties limits) {
        return serving(limits, "0660", null);
    }

    private ApiFixture serving(ConnectionProperties limits, String mode, @Nullable String group) {
        return ApiFixture.golden(
                Map.of(
                        "limits",
                        limits,
                        "unix",
                        UnixSocketListener.class,
                        "socket",
                        new UnixSocketProperties(socket().toString(), mode, group)));
    }

    private ApiFixture serving() {
        return serving(ApiFixture.CONNECTIONS);
    }

    @Test
    void lists_and_watches_are_served_beside_the_port() {
        try (ApiFixture served = serving();
                RawClient list = RawClient.to(socket()).ask(LIST);
                RawClient watch = RawClient.to(socket()).ask(WATCH)) {
            assertThat(list.line()).isEqualTo("HTTP/1.1 200 OK");
            assertThat(watch.line()).isEqualTo("HTTP/1.1 200 OK");
            served.writer().upsert(ApiSamples.object("a", "x", 111));

            assertThat(
                            Stream.generate(watch::line)
                                    .filter(line -> line.startsWith("{"))
                                    .findFirst())
                    .get()
                    .asString()
                    .contains("\"resourceVersion\":\"111\"");
            assertThat(served.client().get(LIST).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void watch_ends_when_its_client_disconnects() {
        try (ApiFixture served = serving()) {
            try (RawClient watch = RawClient.to(socket()).ask(WATCH)) {
                assertThat(watch.line()).isEqualTo("HTTP/1.1 200 OK");
            }
            WaitLimit.until(() -> served.watcherInfos().isEmpty());
        }
    }

    @Test
    void watch_names_the_user_of_its_client() throws IOException {
        try (ApiFixture served = serving();
                RawClient watch = RawClient.to(socket()).ask(WATCH)) {
            assertThat(watch.line()).isEqualTo("HTTP/1.1 200 OK");
            WaitLimit.until(() -> !served.watcherInfos().isEmpty());

            assertThat(served.watcherInfos())
                    .extracting(WatcherInfo::client)
                    .containsExactly("uid:" + Files.getAttribute(socket(), "unix:uid"));
        }
    }

    @ParameterizedTest
    @CsvSource({"0660, rw-rw----", "0600, rw-------", "0666, rw-rw-rw-", "0420, r---w----"})
    void socket_has_the_mode_that_is_configured(String mode, String permissions)
            throws IOException {
        try (ApiFixture _ = serving(ApiFixture.CONNECTIONS, mode, null)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket())))
                    .isEqualTo(permissions);
        }
    }

    @Test
    void socket_has_the_group_that_is_configured() throws IOException {
        Object own = Files.getAttribute(directory, "unix:gid");
        try (ApiFixture _ = serving(ApiFixture.CONNECTIONS, "0660", String.valueOf(own))) {
            assertThat(Files.getAttribute(socket(), "unix:gid")).isEqualTo(own);
        }
    }

    @Test
    void unknown_group_ends_the_start() {
        assertThatThrownBy(() -> serving(ApiFixture.CONNECTIONS, "0660", "no such group"))
                .rootCause()
                .satisfies(
                        failure ->
                                assertMistake(
                                        failure,
                                        "kubemirror.unix-socket-group",
                                        "is not a group here; use a number such as 65532"));
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void socket_of_a_killed_process_is_replaced() throws IOException {
        try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(UnixDomainSocketAddress.of(socket()));
        }
        assertThat(Files.exists(socket(), LinkOption.NOFOLLOW_LINKS)).isTrue();

        try (ApiFixture _ = serving();
                RawClient list = RawClient.to(socket()).ask(LIST)) {
            assertThat(list.line()).isEqualTo("HTTP/1.1 200 OK");
        }
    }

    @Test
    void socket_of_a_running_process_ends_the_start_and_stays() {
        try (ApiFixture _ = serving()) {
            assertRefused("process that runs; stop");
            try (RawClient list = RawClient.to(socket()).ask(LIST)) {
                assertThat(list.line()).isEqualTo("HTTP/1.1 200 OK");
            }
        }
    }

    @Test
    void file_that_is_no_socket_ends_the_start_and_stays() throws IOException {
        Files.writeString(socket(), "precious");

        assertRefused("not a socket; remove it");
        assertThat(socket()).hasContent("precious");
    }

    @Test
    void missing_directory_ends_the_start() {
        directory = directory.resolve("missing");

        assertRefused("does not exist; create " + directory);
    }

    @Test
    void directory_that_cannot_have_a_socket_ends_the_start() throws IOException {
        directory = Files.createFile(directory.resolve("file"));

        assertRefused("cannot be created: Not a directory; let user");
    }

    @ParameterizedTest
    @CsvSource({
        "api.sock, is not an absolute path of a file; use one such as /run/kubemirror/api.sock",
        "/, is not an absolute path of a file; use one such as /run/kubemirror/api.sock",
        "/run/%1$s, 'has 110 bytes, 4 of them for the directory; use a path of at most 106 bytes"
                + " with a directory of at most 82'",
        "/%1$s/a, 'has 108 bytes, 106 of them for the directory; use a path of at most 106 bytes"
                + " with a directory of at most 82'"
    })
    void path_that_no_socket_can_have_is_refused(String path, String problem) {
        assertThatThrownBy(
                        () ->
                                new UnixSocketProperties(
                                        path.formatted("x".repeat(105)), "0660", null))
                .satisfies(failure -> assertPathMistake(failure, problem));
    }

    @Test
    void longest_path_is_served() throws IOException {
        int length = directory.toString().length();
        assertThat(length).isLessThan(81);
        directory = Files.createDirectory(directory.resolve("d".repeat(81 - length)));

        try (ApiFixture _ = serving();
                RawClient list = RawClient.to(socket()).ask(LIST)) {
            assertThat(list.line()).isEqualTo("HTTP/1.1 200 OK");
        }
    }

    @Test
    void socket_is_removed_at_the_end() {
        serving().close();

        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void socket_of_another_process_is_not_removed() throws IOException {
        ApiFixture served = serving();
        Files.delete(socket());
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(UnixDomainSocketAddress.of(socket()));
            served.close();

            assertThat(Files.exists(socket(), LinkOption.NOFOLLOW_LINKS)).isTrue();
        }
    }

    @Test
    void connections_of_the_port_and_the_socket_have_one_limit() {
        try (ApiFixture served = serving(new ConnectionProperties(1, 0, 100, LONG));
                RawClient first = RawClient.to(served.port()).ask(LIST)) {
            // Different threads accept on the port and on the socket.
            assertThat(first.line()).isEqualTo("HTTP/1.1 200 OK");
            try (RawClient second = RawClient.to(socket()).ask(LIST)) {
                assertThat(second.untilClosed())
                        .startsWith("HTTP/1.1 429 Too Many Requests\r\n")
                        .contains("\r\nConnection: close\r\n");
            }
        }
    }

    @Test
    void connections_far_beyond_the_limit_are_closed_without_a_response() {
        try (ApiFixture served = serving(new ConnectionProperties(1, 0, 100, LONG))) {
            List<RawClient> silent = new ArrayList<>();
            for (int i = 0; i < 1 + ConnectionLimiter.SPARE; i++) {
                silent.add(RawClient.to(socket()));
            }
            WaitLimit.until(() -> served.gauge("kubemirror.connections.open") >= silent.size());
            try (RawClient next = RawClient.to(socket())) {
                assertThat(next.untilClosed()).isEmpty();
            }
            silent.forEach(RawClient::close);
            WaitLimit.until(() -> served.gauge("kubemirror.connections.open") <= 0);
            try (RawClient next = RawClient.to(socket()).ask(LIST)) {
                assertThat(next.line()).isEqualTo("HTTP/1.1 200 OK");
            }
        }
    }

    @Test
    void limit_per_client_applies_to_the_user() {
        try (ApiFixture served = serving(new ConnectionProperties(0, 1, 100, LONG));
                RawClient first = RawClient.to(socket()).ask(LIST);
                RawClient second = RawClient.to(socket()).ask(LIST);
                RawClient other = RawClient.to(served.port()).ask(LIST)) {
            assertThat(first.line()).isEqualTo("HTTP/1.1 200 OK");
            assertThat(second.untilClosed())
                    .startsWith("HTTP/1.1 429 Too Many Requests\r\n")
                    .contains("your user has as many connections as");
            assertThat(other.line()).isEqualTo("HTTP/1.1 200 OK");
        }
    }

    @Test
    void request_that_does_not_arrive_in_time_loses_its_connection() {
        Duration soon = Duration.ofMillis(100);
        try (ApiFixture _ = serving(new ConnectionProperties(0, 0, 100, soon));
                RawClient silent = RawClient.to(socket());
                RawClient slow = RawClient.to(socket()).send("GET / HT")) {
            assertThat(silent.untilClosed()).isEmpty();
            assertThat(slow.untilClosed()).isEmpty();
        }
    }

    private void assertRefused(String problem) {
        assertThatThrownBy(this::serving)
                .rootCause()
                .satisfies(failure -> assertPathMistake(failure, problem));
    }

    private static void assertPathMistake(Throwable failure, String problem) {
        assertMistake(failure, "kubemirror.unix-socket", problem);
    }

    private static void assertMistake(Throwable failure, String property, String problem) {
        assertThat(failure)
                .isInstanceOfSatisfying(
                        InvalidConfigurationPropertyValueException.class,
                        mistake -> {
                            assertThat(mistake.getName()).isEqualTo(property);
                            assertThat(mistake.getReason()).contains(problem);
                        });
    }
}
