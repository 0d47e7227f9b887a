package io.kubemirror.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import module java.base;

import io.kubemirror.testing.SelectedTests;
import io.kubemirror.testing.real.ServerBinaries;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the tests that compare kubemirror with an API server against the whole kube-apiservers that
 * {@code src/test/kubernetes/install} has built: the newest with all that use one, the others with
 * those whose answers depend on the version.
 */
@Timeout(3600)
class VersionsTest {

    private static final String SERVER = "kube-apiserver";
    private static final String[] DEPENDENT = {
        "parity.StaticParityTest",
        "parity.ScenarioParityTest",
        "parity.TableParityTest",
        "kube.RealKubeClientTest"
    };

    private static final String[] ALL =
            Stream.concat(
                            Arrays.stream(DEPENDENT),
                            Stream.of(
                                    "parity.ExpiredHistoryParityTest",
                                    "app.RealUpstreamTest",
                                    "app.RealAccessTest",
                                    "app.WatchListOffTest",
                                    "api.server.RealAuthorizationTest",
                                    "feature.etcd.EtcdParityTest",
                                    "feature.forward.RealPassThroughTest"))
                    .toArray(String[]::new);

    @TempDir private Path directory;

    @Test
    void newest_api_server_passes_all_tests_that_use_one() throws Exception {
        run(installed().getLast(), ALL);
    }

    @Test
    void older_api_servers_pass_the_tests_whose_answers_depend_on_the_version() throws Exception {
        List<Path> older = installed().reversed().subList(1, installed().size());
        assumeFalse(older.isEmpty(), "needs a second version from src/test/kubernetes/install");

        for (Path version : older) {
            run(version, DEPENDENT);
        }
    }

    /** Returns the directories of what is installed, the oldest version first. */
    private static List<Path> installed() throws IOException {
        assumeTrue(ServerBinaries.find().isPresent(), "needs KUBEBUILDER_ASSETS (envtest)");
        Map<String, String> environment = System.getenv();
        Path caches =
                Path.of(
                        environment.getOrDefault(
                                "XDG_CACHE_HOME", environment.get("HOME") + "/.cache"));
        Path cache =
                Path.of(
                        environment.getOrDefault(
                                "KUBERNETES_CACHE", caches + "/kubemirror/kubernetes"));
        try (Stream<Path> versions = Files.isDirectory(cache) ? Files.list(cache) : Stream.of()) {
            List<Path> installed =
                    versions.filter(version -> Files.isExecutable(version.resolve(SERVER)))
                            .sorted()
                            .toList();
            assumeFalse(installed.isEmpty(), "needs src/test/kubernetes/install");
            return installed;
        }
    }

    private void run(Path version, String... classes) throws Exception {
        String name = version.getFileName().toString();
        Path binaries = Files.createDirectory(directory.resolve(name));
        Path etcd = ServerBinaries.find().orElseThrow().etcd();
        Files.createSymbolicLink(binaries.resolve("etcd"), etcd);
        Files.createSymbolicLink(binaries.resolve(SERVER), version.resolve(SERVER));
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> options =
                List.of(
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx2g",
                        "-D" + ServerBinaries.VARIABLE + "=" + binaries);
        Path log = directory.resolve(name + ".log");
        Process process =
                new ProcessBuilder(SelectedTests.command(java, options, classes))
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            int code = process.waitFor();
            String result = SelectedTests.result(Files.readString(log));
            System.out.println(name + ": " + result.lines().toList().getLast());
            assertThat(code).as("%s: %s", name, result).isZero();
        } finally {
            process.destroyForcibly();
        }
    }
}
