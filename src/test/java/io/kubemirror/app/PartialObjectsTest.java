package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a mirror leaves out of its objects is nowhere, and clients can see what that is. */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(120)
class PartialObjectsTest {

    private static final String LIST = "/api/v1/pods";
    private static final String FIELDS =
            "keep=\"metadata.labels,metadata.annotations,spec.kept,spec.secret,status\","
                    + " drop=\"metadata.annotations['example.com/note'],status.message,"
                    + "metadata.annotations['kubectl.kubernetes.io/last-applied-configuration']\","
                    + " redact=\"spec.secret,metadata.annotations['example.com/secret']\"";

    /** Occurs in every value that must not be shown. */
    private static final String HIDDEN = "hidden-";

    private static final String SHOWN = "shown-";

    /** Begins every number that must not be shown. */
    private static final String HIDDEN_NUMBER = "918273645";

    private static final List<String> NOWHERE = List.of(HIDDEN, HIDDEN_NUMBER);

    private static final Pattern AUDITED =
            Pattern.compile("kubemirror_upstream_audits_total\\{.*outcome=\"consistent\".*} [1-9]");

    private @TempDir Path directory;

    /** Watches, a restart, and everything that a process shows are read, for each random object. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void left_out_value_appears_nowhere(long seed, CapturedOutput output) throws IOException {
        String with = seed % 2 == 0 ? "fixed" : "hash";
        RandomGenerator objects = new SplittableRandom(seed);
        try (ScriptedApiServer server = ScriptedApiServer.create()) {
            create(server, "before", objects);
            String shown;
            try (ConfigurableApplicationContext kubemirror = start(server, with)) {
                RestClient local = ApplicationLauncher.client(kubemirror, "local.server.port");
                RestClient management =
                        ApplicationLauncher.client(kubemirror, "local.management.port");
                await().atMost(WaitLimit.GENEROUS)
                        .until(() -> management.get("/actuator/health/readiness").code() == 200);
                StringBuilder everything = new StringBuilder();
                try (WatchReader watch = local.watch(LIST + "?watch=1")) {
                    everything.append(watch.next());
                    create(server, "after", objects);
                    everything.append(watch.next());
                    server.label(PODS, "a", "after", "app", "v");
                    everything.append(watch.next());
                    String secret = "{\"spec\":{\"secret\":{\"a\":\"" + HIDDEN + "new\"}}}";
                    server.patch(PODS, "a", "after", secret);
                    String changed = watch.next().toString();
                    assertThat(changed).as("a change stays visible").contains("MODIFIED");
                    everything.append(changed);
                    server.delete(PODS, "a", "after");
                    everything.append(watch.next());
                }
                for (String target : targets()) {
                    everything.append(text(local.get(target)));
                    everything.append(text(local.get(target, "Accept", TABLE)));
                    everything.append(text(local.get(target, "Accept", METADATA)));
                }
                for (String target : PAGES) {
                    everything.append(text(management.get(target)));
                }
                shown = everything.toString();
                await().atMost(WaitLimit.GENEROUS)
                        // A file can be replaced while it is read.
                        .ignoreExceptionsInstanceOf(NoSuchFileException.class)
                        .ignoreExceptionsInstanceOf(UncheckedIOException.class)
                        .until(() -> stored().contains(SHOWN));
            }
            String stored = stored();
            assertThat(shown).as("seed %d", seed).contains(SHOWN).doesNotContain(NOWHERE);
            assertThat(stored).as("seed %d", seed).contains(SHOWN).doesNotContain(NOWHERE);
            assertThat(output.toString()).as("seed %d", seed).doesNotContain(NOWHERE);
        }
    }

    /** With a key, hashes are the same after a restart; without one, stored ones are of no use. */
    @ParameterizedTest
    @CsvSource({"hash, true, true", "hash, false, false", "fixed, false, true"})
    void stored_mirror_is_used_if_its_replacements_are_those_of_the_next_process(
            String with, boolean keyed, boolean used, CapturedOutput output) throws IOException {
        Path file = Files.createTempFile("redaction", "key");
        Files.writeString(file, Base64.getEncoder().encodeToString(new byte[32]));
        String[] key =
                keyed ? new String[] {"kubemirror.persistence.key-file=" + file} : new String[0];
        try (ScriptedApiServer server = ScriptedApiServer.create()) {
            create(server, "x", new SplittableRandom(1));
            String before = answer(server, with, key);
            String after = answer(server, with, key);

            assertThat(before).contains(SHOWN);
            assertThat(after.equals(before)).isEqualTo(used);
            assertThat(output.toString().contains("pods: restored")).isEqualTo(used);
        } finally {
            Files.delete(file);
        }
    }

    /** Starts, waits until an audit has found no difference, and stops. */
    private String answer(ScriptedApiServer server, String with, String... key) {
        try (ConfigurableApplicationContext kubemirror = start(server, with, key)) {
            RestClient local = ApplicationLauncher.client(kubemirror, "local.server.port");
            RestClient management = ApplicationLauncher.client(kubemirror, "local.management.port");
            Awaitility.await()
                    .atMost(WaitLimit.GENEROUS)
                    .until(() -> AUDITED.matcher(metrics(management)).find());
            Awaitility.await().atMost(WaitLimit.GENEROUS).until(() -> !stored().isEmpty());
            assertThat(metrics(management))
                    .doesNotContainPattern("audits_total\\{.*outcome=\"different\".*} [1-9]");
            return local.get("/api/v1/namespaces/a/pods/x").body();
        }
    }

    private static String metrics(RestClient management) {
        return management.get("/actuator/prometheus").body();
    }

    private String stored() throws IOException {
        StringBuilder stored = new StringBuilder();
        try (Stream<Path> found = Files.walk(directory)) {
            for (Path file : found.filter(Files::isRegularFile).toList()) {
                stored.append(Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return stored.toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {LIST, LIST + "?resourceVersion=0", "/api/v1/namespaces/a/pods/x"})
    void answer_names_what_the_mirror_leaves_out(String target) {
        try (ScriptedApiServer server = ScriptedApiServer.create()) {
            server.create(pod("a", "x"));
            try (ConfigurableApplicationContext kubemirror = start(server, "hash")) {
                RestClient local = ApplicationLauncher.client(kubemirror, "local.server.port");
                await().atMost(WaitLimit.GENEROUS).until(() -> local.get(LIST).code() == 200);
                assertThat(local.get(target).header("kubemirror-fields")).isEqualTo(FIELDS);
                assertThat(local.get("/api/v1").json().at("/resources/0/kubemirrorFields/0"))
                        .hasToString("\"" + FIELDS.replace("\"", "\\\"") + "\"");
            }
        }
    }

    private static final String TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1";
    private static final String METADATA =
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
                    + "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

    private static final List<String> PAGES =
            List.of(
                    "/",
                    "/actuator/mirrors",
                    "/actuator/diagnosis",
                    "/actuator/prometheus",
                    "/actuator/health",
                    "/actuator/env");

    private static List<String> targets() {
        return List.of(
                LIST,
                LIST + "?limit=1",
                LIST + "?labelSelector=oops%20in",
                LIST + "?fieldSelector=spec.secret%3D1",
                LIST + "?sortBy=spec.secret",
                LIST + "?sortBy=spec.secret.a&limit=1",
                LIST + "?groupBy=spec.secret",
                LIST + "?groupBy=spec.secret.a",
                LIST + "?includeObject=Object",
                "/api/v1/namespaces/a/pods/before",
                "/api/v1/namespaces/a/pods/none",
                LIST + "?watch=1&timeoutSeconds=1",
                "/api/v1");
    }

    private static String text(RestResponse answer) {
        return answer.code() + " " + answer.body() + "\n";
    }

    private ConfigurableApplicationContext start(
            ScriptedApiServer server, String with, String... more) {
        List<String> all = new ArrayList<>(List.of(more));
        Collections.addAll(
                all,
                "kubemirror.upstream.server=" + server.url(),
                "kubemirror.persistence.directory=" + directory,
                "logging.level.io.kubemirror=debug",
                "kubemirror.resources[0].resource=pods",
                "kubemirror.resources[0].keep-fields[0]=metadata.labels",
                "kubemirror.resources[0].keep-fields[1]=metadata.annotations",
                "kubemirror.resources[0].keep-fields[2]=spec.kept",
                "kubemirror.resources[0].keep-fields[3]=spec.secret",
                "kubemirror.resources[0].keep-fields[4]=status",
                "kubemirror.resources[0].drop-fields[0]=metadata.annotations['example.com/note']",
                "kubemirror.resources[0].drop-fields[1]=status.message",
                "kubemirror.resources[0].redact-fields[0]=spec.secret",
                "kubemirror.resources[0].redact-fields[1]=metadata.annotations['example.com/secret']",
                "kubemirror.resources[0].redact-with=" + with,
                "kubemirror.page.show-contents=pods",
                "kubemirror.upstream.audit-interval=1s");
        return ApplicationLauncher.with(all.toArray(String[]::new));
    }

    /** A pod with values of both kinds, in members and orders that the seed chooses. */
    private static void create(ScriptedApiServer server, String name, RandomGenerator random) {
        List<String> members = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            members.add("\"m" + i + "\":" + value(HIDDEN, random, 3));
        }
        members.add(random.nextInt(members.size() + 1), "\"secret\":" + value(HIDDEN, random, 3));
        members.add(random.nextInt(members.size() + 1), "\"kept\":" + value(SHOWN, random, 3));
        server.create(
                pod("a", name)
                        .annotation("example.com/note", HIDDEN + random.nextInt())
                        .annotation("example.com/secret", HIDDEN + random.nextInt())
                        .annotation(
                                "kubectl.kubernetes.io/last-applied-configuration",
                                "{\"spec\":{\"secret\":\"" + HIDDEN + "\"}}")
                        .annotation("example.com/kept", SHOWN + random.nextInt())
                        .with(
                                """
                                {"spec": {%s}, "status": {"message": %s, "reason": %s},
                                 "other": %s}
                                """
                                        .formatted(
                                                String.join(",", members),
                                                value(HIDDEN, random, 2),
                                                value(SHOWN, random, 2),
                                                value(HIDDEN, random, 3))));
    }

    private static String value(String word, RandomGenerator random, int depth) {
        boolean number = word.equals(HIDDEN) && random.nextInt(3) == 0;
        return switch (depth == 0 ? 0 : random.nextInt(3)) {
            case 1 -> "{\"a\":%s,\"b\":1}".formatted(value(word, random, depth - 1));
            case 2 -> "[%s,null]".formatted(value(word, random, depth - 1));
            default ->
                    number
                            ? HIDDEN_NUMBER + random.nextInt(100)
                            : "\"" + word + random.nextInt() + "\"";
        };
    }
}
