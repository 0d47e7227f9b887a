package io.kubemirror.feature.forward;

import static io.kubemirror.testing.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.clients.ExternalProgram;
import io.kubemirror.clients.ProgramRun;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;
import io.kubernetes.client.openapi.ApiClient;

import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

import javax.tools.ToolProvider;

/** The examples of the page about reading your own writes run as they are printed there. */
@WithApiServer
@TestInstance(Lifecycle.PER_CLASS)
class ReadYourWritesDocumentTest {

    private static final Path PAGE = Path.of("src", "docs", "consistency.md");

    @AutoClose private final ConfigurableApplicationContext kubemirror;
    private final String url;
    private final String namespace;
    private final Path directory;
    private final RestClient client;

    ReadYourWritesDocumentTest(ApiServer server, TestNamespace namespace, @TempDir Path directory) {
        kubemirror =
                ApplicationLauncher.mirroring(
                        server.url(), "configmaps", "kubemirror.pass-through.mode=own");
        url = ApplicationLauncher.url(kubemirror, "local.server.port").toString();
        client = ApplicationLauncher.api(kubemirror);
        this.namespace = namespace.name();
        this.directory = directory;
        WaitLimit.until(() -> client.get("/api/v1/configmaps").code() == 200);
    }

    private String collection() {
        return "/api/v1/namespaces/" + namespace + "/configmaps";
    }

    /** The example in a language, for the namespace of this test. */
    private String example(String language) throws IOException {
        Matcher block =
                Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                        .matcher(Files.readString(PAGE));
        assertThat(block.find()).as(language).isTrue();
        String example = block.group(1);
        assertThat(block.find()).as("another example in %s", language).isFalse();
        return example.replace("\"default\"", "\"" + namespace + "\"")
                .replace("/default/", "/" + namespace + "/");
    }

    /** Runs an example together with what it needs, and returns what it prints. */
    private String run(String file, String text, String... command) throws IOException {
        Path script = Files.writeString(directory.resolve(file), text);
        List<String> whole = new ArrayList<>(List.of(command));
        whole.add(script.toString());
        Map<String, String> environment =
                Map.of("KUBEMIRROR", url, "PATH", Objects.requireNonNull(System.getenv("PATH")));
        try (ProgramRun program = ProgramRun.start(directory, whole, environment)) {
            return program.text();
        }
    }

    @Test
    void curl_reads_its_write_and_gets_the_revision_of_a_deletion() throws IOException {
        ExternalProgram.demand(Path.of("/usr/bin/curl"));
        client.create(configMap(namespace, "x"));

        String printed = run("example.sh", example("shell"), "/bin/sh", "-eu");

        assertThat(printed)
                .contains("\"a\": \"1\"")
                .containsPattern("(?i)kubemirror-min-revision: [1-9]");
        assertThat(client.get(collection() + "/x").code()).isEqualTo(404);
    }

    @Test
    void python_sends_the_revision_of_its_write() throws IOException {
        ExternalProgram.demand(Path.of("/usr/lib/python3/dist-packages/kubernetes"));
        String before =
                """
                import os
                from kubernetes import client
                configuration = client.Configuration(host=os.environ["KUBEMIRROR"])
                api = client.CoreV1Api(client.ApiClient(configuration))
                body = {"metadata": {"name": "python"}}
                """;
        String after =
                """
                print(api.api_client.default_headers["Kubemirror-Min-Revision"])
                print([item.metadata.name for item in api.list_namespaced_config_map("%s").items])
                """
                        .formatted(namespace);

        String printed = run("example.py", before + example("python") + after, "/usr/bin/python3");

        assertThat(printed).startsWith(revision("python") + "\n").contains("'python'");
    }

    /** Returns the revision of an object. */
    private String revision(String name) {
        return client.read(collection() + "/" + name).at("/metadata/resourceVersion").asString();
    }

    @Test
    void java_sends_the_revision_of_its_last_write() throws Exception {
        Path source =
                Files.writeString(
                        directory.resolve("Example.java"),
                        """
                        import io.kubernetes.client.openapi.ApiClient;
                        import java.util.concurrent.atomic.AtomicReference;
                        import java.util.function.*;
                        import okhttp3.*;

                        public class Example implements Function<ApiClient, Supplier<String>> {
                            public Supplier<String> apply(ApiClient client) {
                        %s
                                return last::get;
                            }
                        }
                        """
                                .formatted(example("java")));
        int compiled =
                ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-proc:none", source.toString());
        assertThat(compiled).isZero();
        ApiClient api = new ApiClient();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
            @SuppressWarnings("unchecked")
            var example =
                    (Function<ApiClient, Supplier<String>>)
                            loader.loadClass("Example").getConstructor().newInstance();
            Supplier<String> last = example.apply(api);

            write(api, "java");

            assertThat(last.get()).isEqualTo(revision("java"));
        }
    }

    private void write(ApiClient api, String name) throws IOException {
        Request request =
                new Request.Builder()
                        .url(url + collection())
                        .post(
                                RequestBody.create(
                                        "{\"metadata\":{\"name\":\"%s\"}}".formatted(name),
                                        MediaType.get("application/json")))
                        .build();
        try (Response answer = api.getHttpClient().newCall(request).execute()) {
            assertThat(answer.code()).isEqualTo(201);
        }
    }
}
