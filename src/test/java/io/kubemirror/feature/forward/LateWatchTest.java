package io.kubemirror.feature.forward;

import static io.kubemirror.testing.scripted.ServedTypes.CONFIGMAPS;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Others write directly, and the events do not arrive. What a client learns from the API server
 * through kubemirror, its next read shows (list-watch.md#fr-4, #ry-1).
 */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(60)
class LateWatchTest {

    private static final String MAPS = "/api/v1/namespaces/a/configmaps";
    private static final String X = MAPS + "/x";

    @AutoClose private final ScriptedApiServer server = ScriptedApiServer.create();

    @AutoClose
    private final ConfigurableApplicationContext kubemirror =
            ApplicationLauncher.mirroring(
                    server.url(),
                    "configmaps",
                    "kubemirror.pass-through.mode=own",
                    "kubemirror.pass-through.own-verbs=get,create,update,delete,impersonate");

    private final RestClient client = ApplicationLauncher.ready(kubemirror);

    @BeforeEach
    void begin() {
        if (client.get(X).code() == 200) {
            client.send("DELETE", X, null);
        }
        client.send("POST", MAPS, map(""));
        assertThat(client.get(X).code()).isEqualTo(200);
        server.awaitWatch(CONFIGMAPS).stall();
    }

    private static String map(String revision) {
        return "{\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"%s\"},\"data\":{\"a\":\"here\"}}"
                .formatted(revision);
    }

    private static String revision(RestResponse answer) {
        return answer.json().path("metadata").path("resourceVersion").asString();
    }

    /** Somebody else writes the object directly. */
    private void interfere() {
        server.patch(CONFIGMAPS, "a", "x", "{\"data\":{\"a\":\"elsewhere\"}}");
    }

    @Test
    void optimistic_loop_succeeds_when_it_reads_again() {
        String before = revision(client.get(X));
        interfere();
        assertThat(client.send("PUT", X, map(before)).code()).isEqualTo(409);

        String after = revision(client.get(X));
        assertThat(after).isNotEqualTo(before);
        assertThat(client.send("PUT", X, map(after)).code()).isEqualTo(200);
    }

    @Test
    void object_that_is_gone_is_not_found() {
        server.delete(CONFIGMAPS, "a", "x");
        assertThat(client.send("DELETE", X, null).code()).isEqualTo(404);

        assertThat(client.get(X).code()).isEqualTo(404);
        assertThat(client.get(MAPS + "?resourceVersion=0").body()).doesNotContain("\"x\"");
    }

    @Test
    void read_that_the_server_has_answered_is_not_followed_by_an_earlier_state() {
        interfere();
        String shown = revision(client.get(X, "Impersonate-User", "system:nobody"));

        assertThat(revision(client.get(X))).isEqualTo(shown);
    }
}
