package io.kubemirror.feature.forward;

import static io.kubemirror.testing.containers.ContainerServer.answer;
import static io.kubemirror.testing.containers.ContainerServer.text;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.Closer;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.containers.ContainerServer;
import io.kubemirror.testing.containers.ContainerServer.RawHead;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Requests that are passed on carry the credentials of one side, never those of the other. */
class PassThroughCredentialsTest {

    private static final String OURS =
            "Basic " + Base64.getEncoder().encodeToString(text("root:hunter2"));

    @AutoClose private final Closer open = new Closer();
    private final ContainerServer server = open.add(ContainerServer.alone());

    PassThroughCredentialsTest() {
        server.on(
                "/things",
                answer(
                        "",
                        "HTTP/1.1 200 OK",
                        "Connection: close",
                        "Set-Cookie: a=b",
                        "Warning: 299 - \"w\"",
                        "Content-Length: 0"));
    }

    /** Starts a kubemirror whose own credentials are a user and a password. */
    private int start(String... settings) {
        URI url = URI.create(server.url().toString().replace("//", "//root:hunter2@"));
        return ApplicationLauncher.port(
                open.add(ApplicationLauncher.mirroring(url, "configmaps", settings)));
    }

    private static int send(int port, String method, String... headers) {
        return RestClient.of(URI.create("http://127.0.0.1:" + port))
                .send(method, "/api/v1/things", null, headers)
                .code();
    }

    private RawHead received() throws InterruptedException {
        return Objects.requireNonNull(server.received().poll(60, TimeUnit.SECONDS));
    }

    @Test
    void client_mode_sends_the_credentials_of_the_client_and_none_of_ours() throws Exception {
        int port = start("kubemirror.pass-through.mode=client");

        assertThat(
                        send(
                                port,
                                "POST",
                                "Authorization",
                                "Bearer theirs",
                                "Impersonate-User",
                                "anna",
                                "X-Remote-User",
                                "root",
                                "Cookie",
                                "session=1"))
                .isEqualTo(200);
        RawHead seen = received();
        assertThat(seen.header("authorization")).isEqualTo("Bearer theirs");
        assertThat(seen.header("impersonate-user")).isEqualTo("anna");
        assertThat(seen.header("x-forwarded-for")).isEqualTo("127.0.0.1");
        assertThat(seen.headers()).doesNotContainKeys("x-remote-user", "cookie");
        assertThat(seen.headers().values()).noneMatch(value -> value.contains(OURS));
    }

    @Test
    void client_mode_refuses_requests_without_credentials() {
        int port = start("kubemirror.pass-through.mode=client");

        assertThat(send(port, "POST")).isEqualTo(401);
        assertThat(send(port, "GET", "Authorization", "")).isEqualTo(401);
        assertThat(server.received()).isEmpty();
    }

    @Test
    void own_mode_sends_our_credentials_and_none_of_the_client() throws Exception {
        int port = start("kubemirror.pass-through.mode=own");

        assertThat(send(port, "POST", "Authorization", "Bearer theirs")).isEqualTo(200);
        assertThat(received().header("authorization")).isEqualTo(OURS);
        assertThat(send(port, "POST")).isEqualTo(200);
        assertThat(received().header("authorization")).isEqualTo(OURS);
    }

    @Test
    void own_mode_does_not_impersonate_unless_configured() {
        int careful = start("kubemirror.pass-through.mode=own");
        int generous =
                start(
                        "kubemirror.pass-through.mode=own",
                        "kubemirror.pass-through.own-verbs=list,impersonate");

        assertThat(send(careful, "GET", "Impersonate-User", "anna")).isEqualTo(403);
        assertThat(server.received()).isEmpty();
        assertThat(send(generous, "GET", "Impersonate-User", "anna")).isEqualTo(200);
        assertThat(send(generous, "POST")).isEqualTo(403);
    }

    @Test
    void own_mode_is_narrowed_to_its_verbs() {
        int port =
                start(
                        "kubemirror.pass-through.mode=own",
                        "kubemirror.pass-through.own-verbs=list,create");

        assertThat(send(port, "GET")).isEqualTo(200);
        assertThat(send(port, "POST")).isEqualTo(200);
        assertThat(send(port, "PATCH")).isEqualTo(403);
        assertThat(send(port, "DELETE")).isEqualTo(403);
        assertThat(send(port, "PROPFIND")).isEqualTo(405);
    }

    @Test
    void without_the_mode_everything_stays_as_it_is() {
        int port = start();

        assertThat(send(port, "POST", "Authorization", "Bearer theirs")).isIn(404, 405);
        assertThat(send(port, "GET", "Authorization", "Bearer theirs")).isEqualTo(404);
        assertThat(server.received()).isEmpty();
    }
}
