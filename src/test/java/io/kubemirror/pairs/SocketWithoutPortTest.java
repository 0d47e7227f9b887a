package io.kubemirror.pairs;

import static io.kubemirror.app.ConfigurationMistakes.printed;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** Without a port, whatever its address, only those reach the API who may open the socket. */
@ExtendWith(OutputCaptureExtension.class)
class SocketWithoutPortTest {

    @TempDir private Path directory;

    private String[] and(String... settings) {
        return ApplicationLauncher.and(
                settings,
                "server.port=-1",
                "server.address=0.0.0.0",
                "kubemirror.unix-socket=" + directory.resolve("api.sock"));
    }

    @Test
    void page_does_not_show_contents_to_those_who_may_not_open_the_socket(CapturedOutput output) {
        assertThat(
                        printed(
                                output,
                                and(
                                        "kubemirror.resources[0].resource=pods",
                                        "kubemirror.page.show-contents=*")))
                .contains(
                        "kubemirror cannot start: kubemirror.page.show-contents:"
                                + " would show contents without authentication");
    }

    @Test
    void clients_may_act_as_kubemirror() {
        try (ScriptedApiServer server = ScriptedApiServer.create();
                ConfigurableApplicationContext context =
                        ApplicationLauncher.mirroring(
                                server.url(), "pods", and("kubemirror.pass-through.mode=own"))) {
            assertThat(directory.resolve("api.sock")).exists();
            assertThat(
                            ApplicationLauncher.management(context)
                                    .read("/actuator/mirrors")
                                    .at("/program/api")
                                    .isNull())
                    .as("the diagnosis has no address")
                    .isTrue();
        }
    }
}
