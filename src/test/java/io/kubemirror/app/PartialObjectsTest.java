package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.pod;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import module java.base;

import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** Clients can see what a mirror leaves out, and a restart leaves out the same. */
@ExtendWith(OutputCaptureExtension.class)
class PartialObjectsTest {

    private static final String LIST = "/api/v1/pods";
    private static final String POD = "/api/v1/namespaces/a/pods/x";
    private static final String FIELDS =
            "keep=\"metadata.labels,metadata.annotations,spec.kept,status\","
                    + " drop=\"metadata.annotations['example.com/note'],status.message,"
                    + "metadata.annotations['kubectl.kubernetes.io/last-applied-configuration']\"";

    private static final String SHOWN = "shown-";

    private static final Pattern AUDITED =
            Pattern.compile("kubemirror_upstream_audits_total\\{.*outcome=\"consistent\".*} [1-9]");

    private @TempDir Path directory;

    @Test
    void stored_mirror_shows_after_a_restart_what_it_has_shown_and_says_what_it_leaves_out(
            CapturedOutput output) {
        try (ScriptedApiServer server = ScriptedApiServer.create()) {
            create(server);
            String before = answer(server);
            assertThat(before).contains(SHOWN).doesNotContain("hidden");
            assertThat(answer(server)).isEqualTo(before);
            assertThat(output.toString()).contains("pods: restored");
        }
    }

    /** Starts, waits until an audit has found no difference, and stops. */
    private String answer(ScriptedApiServer server) {
        try (ConfigurableApplicationContext kubemirror = start(server)) {
            RestClient local = ApplicationLauncher.api(kubemirror);
            RestClient management = ApplicationLauncher.management(kubemirror);
            WaitLimit.until(() -> AUDITED.matcher(metrics(management)).find());
            WaitLimit.until(() -> !stored().isEmpty());
            assertThat(metrics(management))
                    .doesNotContainPattern("audits_total\\{.*outcome=\"different\".*} [1-9]");
            assertThat(stored()).doesNotContain("hidden");
            assertThat(List.of(LIST, LIST + "?resourceVersion=0", POD))
                    .extracting(target -> local.get(target).header("kubemirror-fields"))
                    .containsOnly(FIELDS);
            assertThat(local.get("/api/v1").json().at("/resources/0/kubemirrorFields/0"))
                    .hasToString("\"" + FIELDS.replace("\"", "\\\"") + "\"");
            return local.get(POD).body();
        }
    }

    /** All that is in the files. */
    private String stored() {
        return Unchecked.call(
                () -> {
                    try (Stream<Path> files = Files.list(directory)) {
                        return files.map(
                                        file ->
                                                Unchecked.call(
                                                        () -> Files.readString(file, ISO_8859_1)))
                                .collect(Collectors.joining());
                    }
                });
    }

    private static String metrics(RestClient management) {
        return management.get("/actuator/prometheus").body();
    }

    private ConfigurableApplicationContext start(ScriptedApiServer server) {
        return ApplicationLauncher.mirroring(
                server.url(),
                "pods",
                "kubemirror.persistence.directory=" + directory,
                "logging.level.io.kubemirror=debug",
                "kubemirror.resources[0].keep-fields[0]=metadata.labels",
                "kubemirror.resources[0].keep-fields[1]=metadata.annotations",
                "kubemirror.resources[0].keep-fields[2]=spec.kept",
                "kubemirror.resources[0].keep-fields[3]=status",
                "kubemirror.resources[0].drop-fields[0]=metadata.annotations['example.com/note']",
                "kubemirror.resources[0].drop-fields[1]=status.message",
                "kubemirror.upstream.audit-interval=1s");
    }

    /** A pod with values that are stored, and others. */
    private static void create(ScriptedApiServer server) {
        server.create(
                pod("a", "x")
                        .annotation("example.com/note", "hidden")
                        .annotation("example.com/kept", SHOWN)
                        .with(
                                """
                                {"spec": {"m0": 1, "secret": {"a": ["hidden", null]},
                                  "kept": "shown-"},
                                 "status": {"message": "hidden", "reason": "shown-"}}
                                """));
    }
}
