package io.kubemirror.processes;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.TestKubeMirrorApplication;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.real.K3sApiServer;
import io.kubemirror.testing.real.ServerBinaries;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what {@code mvn spring-boot:test-run} prints. */
@Timeout(300)
class TestRunTest {

    private static final String LAST = "and open http://127.0.0.1:";

    @Test
    void run_without_a_real_api_server_prints_no_problem_and_the_remedy() throws IOException {
        Assumptions.assumeFalse(K3sApiServer.isAvailable(), "needs a machine without Docker");

        assertThat(run(false))
                .contains(
                        "For a real one, set KUBEBUILDER_ASSETS to the directory of etcd and"
                                + " kube-apiserver, or start Docker.")
                .noneMatch(TestRunTest::isProblem);
    }

    @Test
    void run_with_a_real_api_server_prints_no_problem() throws IOException {
        Assumptions.assumeTrue(
                ServerBinaries.find().isPresent(), "needs KUBEBUILDER_ASSETS (envtest)");

        assertThat(run(true))
                .anyMatch(line -> line.endsWith(", a real API server."))
                .noneMatch(TestRunTest::isProblem);
    }

    /** Spring Boot's plugin refuses to choose among several. */
    @Test
    void no_other_class_beside_the_tests_can_be_meant() throws IOException {
        Pattern main = Pattern.compile("\\bstatic void main\\(");
        try (Stream<Path> sources = Files.walk(Path.of("src", "test", "java"))) {
            assertThat(
                            sources.filter(Files::isRegularFile)
                                    .filter(
                                            file ->
                                                    main.matcher(
                                                                    Unchecked.call(
                                                                            () ->
                                                                                    Files
                                                                                            .readString(
                                                                                                    file)))
                                                            .find()))
                    .extracting(file -> file.getFileName().toString())
                    .containsExactly(TestKubeMirrorApplication.class.getSimpleName() + ".java");
        }
    }

    private static boolean isProblem(String line) {
        return line.matches(".*(WARN|ERROR|Exception|\\bat io\\.).*");
    }

    /** Ends it with a signal when it has printed everything, and returns the lines. */
    private static List<String> run(boolean binaries) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        TestKubeMirrorApplication.class.getName(),
                        "--server.port=0",
                        "--management.server.port=0");
        if (!binaries) {
            builder.environment().remove("KUBEBUILDER_ASSETS");
        }
        Process process = builder.redirectErrorStream(true).start();
        try (BufferedReader reader = process.inputReader()) {
            List<String> lines = new ArrayList<>();
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
                if (line.startsWith(LAST)) {
                    // Not by the process, which would close its output too.
                    process.toHandle().destroy();
                }
            }
            assertThat(lines).anyMatch(line -> line.startsWith(LAST));
            return lines;
        } finally {
            process.destroyForcibly();
        }
    }
}
