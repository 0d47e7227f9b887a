package io.kubemirror.clients;

import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/**
 * Tests the installed kubectl against kubemirror and, where the output is comparable, against the
 * API server too.
 *
 * <p>{@code kubectl wait} is client-go's informer: it lists, watches, and restarts by itself.
 */
@WithApiServer
@TestInstance(Lifecycle.PER_CLASS)
class KubectlTest {

    @AutoClose private final NamespaceFixture namespaceFixture;
    private final TcpRelay line;
    private final Path directory;

    KubectlTest(ApiServer server, TestNamespace namespace, @TempDir Path directory) {
        this.directory = directory;
        ExternalProgram.KUBECTL.demand();
        namespaceFixture = new NamespaceFixture(server, namespace.name());
        line = namespaceFixture.line();
    }

    @BeforeAll
    void fill() throws IOException {
        Files.createFile(directory.resolve("empty"));
        for (String name : List.of("a", "b", "c", "d", "e")) {
            namespaceFixture.create(name);
        }
        namespaceFixture.awaitConsistency();
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/clients/kubectl-commands.txt",
            delimiter = '|',
            quoteCharacter = '`')
    void kubectl_output_equals_that_with_the_real_api_server(String arguments) {
        assertThat(kubectl(arguments)).isNotEmpty().isEqualTo(original(arguments));
    }

    @Test
    void api_resources_lists_exactly_the_mirrored_resources() {
        assertThat(kubectl("api-resources -o name").lines())
                .containsExactlyInAnyOrder("configmaps", "events", "pods");
        assertThat(kubectl("api-resources")).containsPattern("pods +po +v1 +true +Pod");
    }

    @Test
    void watch_prints_events_and_ends_when_kubemirror_stops() {
        int answered = line.answered().length();
        try (ProgramRun all = start(line.url(), "get pods -w --output-watch-events --no-headers");
                ProgramRun one = start(line.url(), "get pod a -w -o name")) {
            assertThat(all.output().await(lines -> lines.size() == 5)).isTrue();
            assertThat(one.output().await(lines -> lines.size() == 1)).isTrue();
            // kubectl skips the first event of a single object, which must not be the change.
            assertThat(line.awaitAnswered(text -> text.indexOf("\"ADDED\"", answered) >= 0))
                    .isTrue();
            namespaceFixture.create("z");
            namespaceFixture.change("a", 1);
            namespaceFixture.delete("z");
            assertThat(all.output().await(lines -> brief(lines).contains("DELETED z"))).isTrue();
            assertThat(one.output().await(lines -> lines.size() == 2)).isTrue();
            namespaceFixture.restart(() -> {});

            assertThat(all.exitCode()).isZero();
            assertThat(one.exitCode()).isZero();
            assertThat(brief(all.output().all()))
                    .containsExactly(
                            "ADDED a",
                            "ADDED b",
                            "ADDED c",
                            "ADDED d",
                            "ADDED e",
                            "ADDED z",
                            "MODIFIED a",
                            "MODIFIED z",
                            "DELETED z");
            assertThat(one.output().all()).containsExactly("pod/a", "pod/a");
        }
    }

    private static List<String> brief(List<String> lines) {
        return lines.stream()
                .map(line -> line.replaceFirst("^(\\w+) +(\\w+) .*", "$1 $2"))
                .toList();
    }

    @Test
    void wait_ends_when_the_condition_is_met() {
        try (ProgramRun wait = waiting("b", "condition=Ready")) {
            String ready =
                    "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}";
            namespaceFixture.server().patchStatus(PODS, namespaceFixture.namespace(), "b", ready);

            assertThat(wait.text()).endsWith("pod/b condition met");
        }
        namespaceFixture.awaitConsistency();
    }

    @Test
    void wait_survives_a_kubemirror_restart() {
        namespaceFixture.create("y");
        namespaceFixture.awaitConsistency();
        try (ProgramRun wait = waiting("y", "delete")) {
            namespaceFixture.restart(() -> namespaceFixture.change("y", 1));
            namespaceFixture.delete("y");

            assertThat(wait.text()).endsWith("pod/y condition met");
        }
        namespaceFixture.awaitConsistency();
    }

    @Test
    void wait_survives_an_expired_revision() {
        namespaceFixture.create("x");
        namespaceFixture.awaitConsistency();
        int answered = line.answered().length();
        // It resumes at the same revision only if the request got no answer. Otherwise it lists.
        line.lose("watch=true");
        try (ProgramRun wait = waiting("x", "delete")) {
            namespaceFixture.pause(
                    () -> {
                        namespaceFixture.change("a", NamespaceFixture.WINDOW);
                        namespaceFixture.delete("x");
                    });

            assertThat(wait.text()).endsWith("pod/x condition met");
            assertThat(line.answered().substring(answered)).contains("\"code\":410");
        }
    }

    /** Returns when it watches. */
    private ProgramRun waiting(String name, String condition) {
        int asked = line.asked().length();
        ProgramRun run = start(line.url(), "wait pod/" + name + " --timeout=5m --for=" + condition);
        assertThat(line.awaitAsked(text -> text.substring(asked).contains("watch=true"))).isTrue();
        return run;
    }

    private String kubectl(String arguments) {
        return output(line.url(), arguments);
    }

    private String original(String arguments) {
        return output(namespaceFixture.server().url(), arguments);
    }

    private String output(URI url, String arguments) {
        try (ProgramRun run = start(url, arguments)) {
            return run.text();
        }
    }

    private ProgramRun start(URI url, String arguments) {
        List<String> command = new ArrayList<>();
        command.add("kubectl");
        command.add("--server=" + url);
        command.add("--namespace=" + namespaceFixture.namespace());
        command.add("--kubeconfig=" + directory.resolve("empty"));
        command.add("--cache-dir=" + directory.resolve("cache"));
        command.addAll(List.of(arguments.split(" ", -1)));
        return ProgramRun.start(directory, command);
    }
}
