package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.KubeMirrorApplication;
import io.kubemirror.deploy.Dockerfile.BuildStep;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.module.Configuration;

/** Tests promises of the image that need no build. */
class DockerfileTest {

    private final Dockerfile dockerfile = Dockerfile.read();

    @Test
    void image_needs_no_shell() {
        assertThat(dockerfile.image().from()).startsWith("gcr.io/distroless/");
        for (String verb : new String[] {"RUN", "HEALTHCHECK", "ENTRYPOINT"}) {
            assertThat(dockerfile.image().all(verb)).isNotEmpty().allMatch(BuildStep::needsNoShell);
        }
    }

    @Test
    void image_runs_as_the_non_root_user_of_the_chart(@TempDir Path directory) {
        RenderedChart rendered =
                Chart.of("kubemirror", directory, "mirror", "shop")
                        .render(ChartValues.set("small").mode("cluster"));
        var context = rendered.container().path("securityContext");

        assertThat(dockerfile.image().only("USER").text())
                .isEqualTo(
                        context.path("runAsUser").asInt()
                                + ":"
                                + context.path("runAsGroup").asInt())
                .isEqualTo("65532:65532");
    }

    /** Without one, what uses it fails when it is first used. */
    @Test
    void runtime_has_every_module_that_kubemirror_uses() throws Exception {
        Path classes =
                Path.of(
                        KubeMirrorApplication.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        StringWriter used = new StringWriter();
        int code =
                ToolProvider.findFirst("jdeps")
                        .orElseThrow()
                        .run(
                                new PrintWriter(used),
                                new PrintWriter(used),
                                "--print-module-deps",
                                "--ignore-missing-deps",
                                classes.toString());
        assertThat(code).as(used::toString).isZero();
        String added = dockerfile.stages().get(1).only("RUN").words().getLast();
        ModuleFinder system = ModuleFinder.ofSystem();
        Set<String> runtime =
                Configuration.empty()
                        .resolve(system, ModuleFinder.of(), Set.of(added.split(",", -1)))
                        .modules()
                        .stream()
                        .map(ResolvedModule::name)
                        .collect(Collectors.toSet());

        assertThat(runtime).contains(used.toString().strip().split(",", -1));
    }
}
