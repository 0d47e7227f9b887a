package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import module java.base;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * What a resource hides leaves by no door: not in the answer to any read or write, in any
 * representation, version, or state, and not by what operators see.
 */
@WithApiServer
@ExtendWith(OutputCaptureExtension.class)
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(180)
class HiddenFieldsTest {

    /** Occurs in every value that must not be shown. */
    private static final String HIDDEN = "hidden-";

    private static final int HIDDEN_NUMBER = 918273;

    private static final Pattern LEAK = Pattern.compile(HIDDEN + "|" + HIDDEN_NUMBER);

    /** What each resource hides, by the first part of its group. */
    private static final Map<String, List<String>> POLICIES =
            Map.of(
                    "drop",
                    List.of(
                            "drop-fields[0]=spec.secret",
                            "drop-fields[1]=status.secret",
                            "drop-fields[2]=metadata.annotations['example.com/note']",
                            "drop-fields[3]=spec.replicas",
                            "drop-fields[4]=status.replicas",
                            "drop-fields[5]=metadata.finalizers"),
                    "keep",
                    List.of("keep-fields[0]=metadata.labels", "keep-fields[1]=spec.shown"),
                    "hash",
                    List.of(
                            "redact-fields[0]=spec.secret",
                            "redact-fields[1]=status.secret",
                            "redact-fields[2]=metadata.annotations['example.com/note']",
                            "redact-fields[3]=spec.replicas",
                            "redact-fields[4]=status.replicas"),
                    "fixed",
                    List.of(
                            "redact-with=fixed",
                            "redact-fields[0]=spec.secret",
                            "redact-fields[1]=status",
                            "redact-fields[2]=metadata.annotations",
                            "redact-fields[3]=spec.replicas"),
                    "metadata",
                    List.of("metadata-only=true"));

    private static final List<String> ACCEPTED =
            List.of(
                    "application/json",
                    "application/yaml",
                    "application/vnd.kubernetes.protobuf",
                    "application/cbor",
                    "application/json;as=Table;g=meta.k8s.io;v=v1,application/json",
                    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
                            + "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,*/*",
                    "text/event-stream");

    private static final List<String> READS =
            List.of(
                    "",
                    "?limit=1",
                    "?resourceVersion=0",
                    "?sortBy=spec.secret",
                    "?groupBy=spec.secret",
                    "?fieldSelector=spec.secret%3Dx",
                    "?labelSelector=oops%20in",
                    "?includeObject=Object",
                    "?watch=1&timeoutSeconds=1",
                    "/x",
                    "/x?resourceVersion=0",
                    "/x?pretty=1",
                    "/none",
                    "/x/status",
                    "/x/scale",
                    "/x/log",
                    "/x/none");

    private final ApiServer server;

    HiddenFieldsTest(ApiServer server) {
        this.server = server;
    }

    @BeforeAll
    void define() {
        RestClient direct = server.client();
        for (String policy : POLICIES.keySet()) {
            assertThat(direct.send("POST", DEFINITIONS, definition(policy)).code()).isEqualTo(201);
            String objects = path(policy, "v1");
            WaitLimit.until(() -> direct.get(objects).code() == 200);
            assertThat(direct.send("POST", objects, object(policy)).code()).isEqualTo(201);
            String status =
                    "{\"status\":{\"secret\":\""
                            + HIDDEN
                            + "status\",\"replicas\":"
                            + HIDDEN_NUMBER
                            + "}}";
            assertThat(direct.send("PATCH", objects + "/x/status", status).code()).isEqualTo(200);
        }
        String finalized = path("drop", "v1") + "?dryRun=All";
        assertThat(direct.send("POST", finalized, finalized("drop")).header("warning"))
                .as("the API server warns of a value")
                .contains(HIDDEN);
    }

    /** Each value once, and all pairs where the environment variable {@code CI} is set. */
    static Stream<Arguments> configurations() {
        Stream<Arguments> each =
                Stream.of(
                        Arguments.of("own", "always"),
                        Arguments.of("off", "on-demand"),
                        Arguments.of("own", "pattern"));
        Stream<Arguments> others =
                Stream.of(
                        Arguments.of("off", "always"),
                        Arguments.of("own", "on-demand"),
                        Arguments.of("off", "pattern"));
        return System.getenv("CI") == null ? each : Stream.concat(each, others);
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void hidden_value_leaves_by_no_door(
            String mode, String start, @TempDir Path directory, CapturedOutput output)
            throws IOException {
        List<String> seen = new ArrayList<>();
        try (ConfigurableApplicationContext kubemirror = start(mode, start, directory)) {
            RestClient api = ApplicationLauncher.api(kubemirror);
            RestClient management = ApplicationLauncher.management(kubemirror);
            List<Door> reads =
                    POLICIES.keySet().stream()
                            .flatMap(policy -> reads(api, policy).stream())
                            .toList();
            // Some before the mirrors have content.
            seen.addAll(answers(reads));
            if (!start.equals("on-demand")) {
                WaitLimit.until(() -> management.get("/actuator/health/readiness").code() == 200);
            }
            POLICIES.keySet().stream()
                    .flatMap(policy -> writes(api, policy))
                    .forEach(write -> seen.add(write.answer()));
            seen.addAll(answers(reads));
            RestClient http2 = api.overHttp2();
            seen.addAll(answers(readsOverHttp2(http2)));
            // Reads that came with them would wait until the mirrors show them.
            seen.addAll(answers(writesOverHttp2(http2)));
            Stream.concat(pages(), endpoints(management))
                    .forEach(page -> seen.add(new Door(page, () -> management.get(page)).answer()));
        }
        try (ConfigurableApplicationContext restarted = start(mode, start, directory)) {
            RestClient api = ApplicationLauncher.api(restarted);
            seen.addAll(
                    answers(
                            POLICIES.keySet().stream()
                                    .flatMap(policy -> reads(api, policy).stream())
                                    .toList()));
        }
        String answers = String.join("", seen);
        assertThat(leaks(answers)).as("answers").isEmpty();
        assertThat(leaks(output.toString())).as("log").isEmpty();
        assertThat(leaks(stored(directory))).as("files").isEmpty();
        assertThat(answers).contains("shown-", "HTTP/2 GET " + path("hash", "v1") + "/x: 200");
        assertThat(answers)
                .contains("/actuator/threaddump: 200", "/actuator/metrics/jvm.info: 200");
        assertThat(answers).as("warnings are passed on").contains("shown-deprecated");
        assertThat(answers).doesNotContainPattern("DELETE [^ ]*fieldSelector[^ ]*: 200");
        assertThat(answers.contains("PATCH " + path("hash", "v1") + "/x: 200"))
                .as("writes are passed on")
                .isEqualTo(mode.equals("own"));
    }

    /**
     * Values from before a reload that hides them are in no answer to a later request, and a watch
     * that was open does not show what they become.
     */
    @Test
    void reload_that_hides_a_field_shows_it_to_no_later_request(@TempDir Path directory)
            throws IOException {
        Set<String> hiding = new HashSet<>();
        configure(directory, hiding);
        try (ConfigurableApplicationContext kubemirror =
                ApplicationLauncher.with(
                        "kubemirror.upstream.server=" + server.url(),
                        "spring.config.additional-location=file:" + directory + "/")) {
            RestClient api = ApplicationLauncher.api(kubemirror);
            for (String policy : POLICIES.keySet()) {
                hiding.add(policy);
                assertHiddenByReload(api, policy, () -> configure(directory, hiding));
            }
        }
    }

    private void assertHiddenByReload(RestClient api, String policy, Runnable reload) {
        String objects = path(policy, "v1");
        WaitLimit.until(() -> isShown(api.get(objects)));
        try (WatchReader watch = api.patient().watch(objects + "?watch=1")) {
            List<String> lines = new CopyOnWriteArrayList<>();
            Thread reader = Thread.startVirtualThread(() -> follow(watch, lines));
            WaitLimit.until(() -> !lines.isEmpty());
            reload.run();
            WaitLimit.until(() -> isHiding(api.get(objects)));

            String written = server.client().send("PATCH", objects + "/x", LATER).body();
            assertThat(written).contains("hidden-later");
            await().atMost(WaitLimit.GENEROUS)
                    .untilAsserted(
                            () -> {
                                List<String> seen = answers(reads(api, policy));
                                assertThat(leaks(String.join("", seen))).as(policy).isEmpty();
                                assertThat(!reader.isAlive() || has(lines, revision(written)))
                                        .as("the watch has ended, or goes on")
                                        .isTrue();
                            });
            assertThat(has(lines, "hidden-later")).as(policy).isFalse();
        }
    }

    private static final String LATER =
            "{\"spec\":{\"secret\":\"hidden-later\",\"shown\":\"shown-later\"}}";

    /** Replaces the configuration file in one step. */
    private static void configure(Path directory, Set<String> hiding) {
        try {
            Path next =
                    Files.write(
                            directory.resolve("next"),
                            resources(
                                    policy ->
                                            hiding.contains(policy)
                                                    ? POLICIES.getOrDefault(policy, List.of())
                                                    : List.of()));
            Path file = directory.resolve("application.properties");
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Properties of a resource of each policy, with further settings. */
    private static List<String> resources(Function<String, List<String>> settings) {
        List<String> lines = new ArrayList<>();
        int number = 0;
        for (String policy : POLICIES.keySet()) {
            String element = "kubemirror.resources[" + number + "].";
            lines.add(element + "resource=widgets." + group(policy));
            settings.apply(policy).forEach(setting -> lines.add(element + setting));
            number++;
        }
        return lines;
    }

    private static boolean isShown(RestResponse answer) {
        return answer.code() == 200 && LEAK.matcher(answer.body()).find();
    }

    private static boolean isHiding(RestResponse answer) {
        return answer.code() == 200 && !LEAK.matcher(answer.body()).find();
    }

    private static void follow(WatchReader watch, List<String> lines) {
        try {
            for (Optional<String> line = watch.nextLine();
                    line.isPresent();
                    line = watch.nextLine()) {
                lines.add(line.get());
            }
        } catch (UncheckedIOException ended) {
            // The connection may be cut.
        }
    }

    private static boolean has(List<String> lines, String text) {
        return lines.stream().anyMatch(line -> line.contains(text));
    }

    private static String revision(String object) {
        return "\"resourceVersion\":\"" + JsonTrees.revision(JsonTrees.parse(object)) + "\"";
    }

    private static List<String> answers(List<Door> doors) {
        List<Future<String>> answers;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            answers = doors.stream().map(door -> threads.submit(door::answer)).toList();
        }
        return answers.stream().map(Future::resultNow).toList();
    }

    /** What comes before the values that must not be shown, for the first of them. */
    private static List<String> leaks(String text) {
        return text.lines()
                .filter(line -> LEAK.matcher(line).find())
                .limit(10)
                .map(line -> LEAK.split(line, 2)[0])
                .map(before -> before.substring(0, Math.min(120, before.length())))
                .toList();
    }

    /** A request, and the words by which a failure names it. */
    private record Door(String name, Supplier<RestResponse> request) {

        String answer() {
            RestResponse answer = request.get();
            return "%s: %d %s %s%n"
                    .formatted(
                            name,
                            answer.code(),
                            answer.headers(),
                            answer.body().replace('\n', ' '));
        }
    }

    private static List<Door> reads(RestClient api, String policy) {
        List<Door> doors = new ArrayList<>();
        for (String version : List.of("v1", "v1beta1")) {
            String objects = path(policy, version);
            for (String read : READS) {
                String target = objects + read;
                String hurried = target + (target.contains("?") ? "&" : "?") + "timeout=50ms";
                doors.add(new Door(target, () -> api.get(target)));
                doors.add(new Door("known " + target, () -> again(api, target)));
                doors.add(
                        new Door(
                                "late " + target,
                                () -> api.get(hurried, "Kubemirror-Min-Revision", "99999999")));
                doors.add(
                        new Door(
                                "as a user " + target,
                                () -> api.get(target, "Impersonate-User", "u")));
                doors.add(new Door("HEAD " + target, () -> api.send("HEAD", target, null)));
            }
            for (String accepted : ACCEPTED) {
                for (String read : List.of("", "/x", "?watch=1&timeoutSeconds=1")) {
                    String target = objects + read;
                    doors.add(
                            new Door(
                                    accepted + " " + target,
                                    () -> api.get(target, "Accept", accepted)));
                }
            }
        }
        String stream = "/kubemirror/v1/watch?timeoutSeconds=1&resource=widgets." + group(policy);
        doors.add(new Door(stream, () -> api.get(stream)));
        return doors;
    }

    /** Reads what the client has, by the tag that it was given or by any. */
    private static RestResponse again(RestClient api, String target) {
        String tag = api.get(target).header("etag");
        return api.get(target, "If-None-Match", tag.isEmpty() ? "*" : tag);
    }

    private static Stream<Door> writes(RestClient api, String policy) {
        return Stream.of("v1", "v1beta1")
                .flatMap(
                        version ->
                                written(policy, version).stream()
                                        .map(one -> write(api, path(policy, version), one)));
    }

    private static Door write(RestClient api, String objects, String written) {
        String[] parts = written.split(" ", 3);
        return new Door(
                parts[0] + " " + objects + parts[1],
                () ->
                        parts[0].equals(JSON_PATCH)
                                ? api.patch(objects + parts[1], JSON_PATCH, parts[2])
                                : api.send(parts[0], objects + parts[1], parts[2]));
    }

    /** Method, target, and body. Those of every version change the same object. */
    private static List<String> written(String policy, String version) {
        String object = object(policy).replace("/v1\"", "/" + version + "\"");
        String dry = "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"dryRun\":[\"All\"]}";
        return List.of(
                "PATCH /x {}",
                "PATCH /x {\"spec\":{\"shown\":\"shown-" + version + "\"}}",
                "PATCH /x {\"spec\":{\"limited\":\"wrong\"}}",
                "PATCH /x {\"spec\":{\"secret\":{\"a\":1}}}",
                // The API server quotes the object.
                "PATCH /x?fieldValidation=Strict {\"metadata\":{\"unknown\":1}}",
                "PATCH /x {\"metadata\":{\"labels\":5}}",
                "PATCH /x/status {}",
                "PATCH /x/scale {\"spec\":{\"replicas\":" + HIDDEN_NUMBER + "}}",
                // Copies a hidden value to where it is shown, or tells whether it is guessed.
                JSON_PATCH + " /x?dryRun=All " + copied("/metadata/annotations", "/copied"),
                JSON_PATCH + " /x?dryRun=All " + copied("/metadata/labels", "/copied"),
                JSON_PATCH + " /x?dryRun=All " + copied("/spec", "/shown"),
                JSON_PATCH + " /x " + copied("/spec", "/limited"),
                "PUT /x/scale {}",
                "PUT /x " + object,
                "POST ?dryRun=All " + object.replace("\"x\"", "\"y\""),
                "POST ?dryRun=All " + finalized(policy),
                "POST ?dryRun=All&fieldValidation=Warn "
                        + finalized(policy).replace("\"shown\"", "\"unknown\""),
                "POST ?pretty=1 " + object,
                // Tells which objects have a value, as a search does.
                "DELETE ?fieldSelector=metadata.name%3Dx " + dry,
                "DELETE /x " + dry,
                "DELETE  " + dry,
                "OPTIONS /x {}");
    }

    private static String copied(String object, String member) {
        return "[{\"op\":\"add\",\"path\":\"/metadata/labels\",\"value\":{}},"
                + "{\"op\":\"copy\",\"from\":\"/spec/secret\",\"path\":\""
                + object
                + member
                + "\"}]";
    }

    private static final String JSON_PATCH = "application/json-patch+json";

    /** The same by another protocol. */
    private static List<Door> readsOverHttp2(RestClient http2) {
        return POLICIES.keySet().stream()
                .flatMap(policy -> READS.stream().map(read -> path(policy, "v1") + read))
                .map(target -> new Door("HTTP/2 GET " + target, () -> http2.get(target)))
                .toList();
    }

    private static List<Door> writesOverHttp2(RestClient http2) {
        return POLICIES.keySet().stream()
                .flatMap(
                        policy ->
                                written(policy, "v1").stream()
                                        .map(one -> write(http2, path(policy, "v1"), one)))
                .map(door -> new Door("HTTP/2 " + door.name(), door.request()))
                .toList();
    }

    /** What the management port announces, without what has parameters, and every metric. */
    private static Stream<String> endpoints(RestClient management) {
        Stream<String> announced =
                management
                        .get("/actuator")
                        .json()
                        .path("_links")
                        .valueStream()
                        .filter(link -> !link.path("templated").asBoolean())
                        .map(link -> URI.create(link.path("href").asString()).getPath());
        Stream<String> metrics =
                management
                        .get("/actuator/metrics")
                        .json()
                        .path("names")
                        .valueStream()
                        .map(name -> "/actuator/metrics/" + name.asString());
        return Stream.concat(announced, metrics);
    }

    private static Stream<String> pages() {
        return Stream.concat(
                Stream.of(
                        "/",
                        "/actuator/mirrors",
                        "/actuator/mirrors?objects=true",
                        "/actuator/prometheus",
                        "/actuator/health",
                        "/actuator/env",
                        "/page/objects?name=x"),
                POLICIES.keySet().stream()
                        .map(policy -> "mirror=widgets." + group(policy))
                        .flatMap(
                                mirror ->
                                        Stream.of(
                                                "/page/list?sortBy=spec.secret&" + mirror,
                                                "/page/objects?name=x&" + mirror,
                                                "/page/object?object=default/x&" + mirror)));
    }

    /** All that is in the files of a directory. */
    static String stored(Path directory) throws IOException {
        StringBuilder stored = new StringBuilder();
        try (Stream<Path> found = Files.walk(directory)) {
            for (Path file : found.filter(Files::isRegularFile).toList()) {
                stored.append(Files.readString(file, StandardCharsets.ISO_8859_1)).append('\n');
            }
        }
        return stored.toString();
    }

    private ConfigurableApplicationContext start(String mode, String start, Path directory) {
        List<String> settings =
                new ArrayList<>(
                        List.of(
                                "kubemirror.upstream.server=" + server.url(),
                                "kubemirror.pass-through.mode=" + mode,
                                "kubemirror.persistence.directory=" + directory,
                                "server.http2.enabled=true",
                                "management.endpoints.web.exposure.include=*",
                                "logging.level.io.kubemirror=debug"));
        boolean pattern = start.equals("pattern");
        if (pattern) {
            String element = "kubemirror.resources[" + POLICIES.size() + "].";
            settings.addAll(List.of(element + "resource=*", element + "start=on-demand"));
        }
        settings.addAll(
                resources(
                        policy ->
                                Stream.concat(
                                                Stream.of("start=" + (pattern ? "always" : start)),
                                                POLICIES.getOrDefault(policy, List.of()).stream())
                                        .toList()));
        return ApplicationLauncher.with(settings.toArray(String[]::new));
    }

    private static final Path DEFINITION =
            Path.of("src/test/resources/io/kubemirror/app/hidden-widgets.json");

    private static final String DEFINITIONS =
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

    private static String group(String policy) {
        return policy + ".hidden.example.com";
    }

    private static String path(String policy, String version) {
        return "/apis/%s/%s/namespaces/default/widgets".formatted(group(policy), version);
    }

    private static String definition(String policy) {
        return Unchecked.call(() -> Files.readString(DEFINITION).replace("GROUP", group(policy)));
    }

    /** An object with a name of its own, of whose finalizer the API server warns. */
    private static String finalized(String policy) {
        String finalizer = policy.equals("drop") ? HIDDEN + "finalizer" : "shown-finalizer";
        return object(policy)
                .replace(
                        "\"name\": \"x\"",
                        "\"name\": \"z\", \"finalizers\": [\"" + finalizer + "\"]");
    }

    /** The note is shown where all metadata is, but not what kubectl applied last. */
    private static String object(String policy) {
        String note = policy.equals("metadata") ? "shown-note" : HIDDEN + "note";
        return """
        {"apiVersion": "%s/v1", "kind": "Widget", "metadata": {"name": "x",
          "labels": {"app": "shown-label"}, "annotations": {"example.com/note": "%s",
           "kubectl.kubernetes.io/last-applied-configuration":
            "{\\"spec\\": {\\"formerly\\": \\"%s\\"}}"}},
         "spec": {"shown": "shown-spec", "secret": "%s", "replicas": %d}}
        """
                .formatted(group(policy), note, HIDDEN + "applied", HIDDEN + "spec", HIDDEN_NUMBER);
    }
}
