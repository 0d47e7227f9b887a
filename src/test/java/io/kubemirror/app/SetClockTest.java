package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.pod;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

/** The whole application, while somebody sets the clock of the system. */
@Timeout(300)
class SetClockTest {

    private static final String PODS = "/api/v1/pods";

    private volatile Duration error = Duration.ZERO;

    private final ScriptedApiServer server = ScriptedApiServer.create();
    private final ConfigurableApplicationContext context =
            ApplicationLauncher.with(
                    InstantSource.class,
                    () -> InstantSource.system().instant().plus(error),
                    "kubemirror.upstream.server=" + server.url(),
                    "kubemirror.resources[0].resource=pods");
    private final RestClient client = ApplicationLauncher.api(context);

    SetClockTest() {
        WaitLimit.until(() -> client.get(PODS).code() == 200);
    }

    @AfterEach
    void stop() {
        context.close();
        server.close();
    }

    @Test
    void age_of_a_mirror_is_the_time_since_its_last_contact() {
        error = Duration.ofHours(2);

        RestClient.RestResponse read = client.get(PODS, "Kubemirror-Max-Age", "1000");

        assertThat(read.code()).as(read.body()).isEqualTo(200);
        assertThat(Long.parseLong(read.header("Kubemirror-Upstream-Age"))).isBetween(0L, 1000L);
    }

    @Test
    void mirror_that_has_to_list_again_does_not_wait_until_the_clock_is_there_again() {
        error = Duration.ofHours(-2);
        for (String name : new String[] {"a", "b"}) {
            server.awaitWatch(ServedTypes.PODS);
            server.stop();
            server.create(pod(name, "x"));
            server.compact();
            server.start();

            WaitLimit.until(() -> client.get(PODS).body().contains("\"" + name + "\""));
        }
    }
}
