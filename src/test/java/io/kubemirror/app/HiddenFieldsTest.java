package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.TestFiles;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * What a resource leaves out leaves by no door: not in the answer to any read, in any
 * representation or version, and not by what operators see.
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

    private static final Pattern AUDITED =
            Pattern.compile("kubemirror_upstream_audits_total\\{.*outcome=\"consistent\".*} [1-9]");

    /** What each resource leaves out, by the first part of its group. */
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
                    "metadata",
                    List.of("metadata-only=true"));

    /** What follows the path of the objects, and the header Accept. */
    private static final List<String> READS = TestFiles.lines("app/hidden-reads.txt");

    private static final List<String> PAGES =
            List.of(
                    "/actuator/mirrors",
                    "/actuator/prometheus",
                    "/actuator/health",
                    "/actuator/env",
                    "/actuator/threaddump");

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
    }

    @Test
    void hidden_value_leaves_by_no_door(@TempDir Path directory, CapturedOutput output)
            throws IOException {
        List<String> seen = new ArrayList<>();
        try (ConfigurableApplicationContext kubemirror = start(directory)) {
            RestClient api = ApplicationLauncher.api(kubemirror);
            RestClient management = ApplicationLauncher.management(kubemirror);
            WaitLimit.until(() -> management.get("/actuator/health/readiness").code() == 200);
            seen.addAll(
                    answers(
                            POLICIES.keySet().stream()
                                    .flatMap(policy -> reads(api, policy).stream())
                                    .toList()));
            PAGES.forEach(page -> seen.add(new Door(page, () -> management.get(page)).answer()));
        }
        String answers = String.join("", seen);
        assertThat(leaks(answers)).as("answers").isEmpty();
        assertThat(leaks(output.toString())).as("log").isEmpty();
        assertThat(leaks(stored(directory))).as("files").isEmpty();
        assertThat(answers).contains("shown-", "/actuator/threaddump: 200");
        assertThat(answers).as("warnings are passed on").contains("shown-deprecated");
    }

    /** Clients can see what a mirror leaves out, and a restart leaves out the same. */
    @Test
    void stored_mirror_shows_after_a_restart_what_it_has_shown(
            @TempDir Path directory, CapturedOutput output) throws IOException {
        List<String> before = shown(directory);

        assertThat(before)
                .anyMatch(one -> one.contains("keep=\"metadata.labels,spec.shown\""))
                .anyMatch(one -> one.contains("drop=\"spec.secret,"))
                .allMatch(one -> one.contains("shown-label"));
        assertThat(shown(directory)).isEqualTo(before);
        assertThat(output.toString()).contains("widgets.keep.hidden.example.com: restored");
    }

    /** Returns the objects, when an audit has found no difference, and what they leave out. */
    private List<String> shown(Path directory) throws IOException {
        try (ConfigurableApplicationContext kubemirror = start(directory)) {
            RestClient api = ApplicationLauncher.api(kubemirror);
            RestClient management = ApplicationLauncher.management(kubemirror);
            Supplier<String> metrics = () -> management.get("/actuator/prometheus").body();
            WaitLimit.until(() -> AUDITED.matcher(metrics.get()).results().count() == 3);
            WaitLimit.until(() -> !stored(directory).isEmpty());
            assertThat(metrics.get())
                    .doesNotContainPattern("audits_total\\{.*outcome=\"different\".*} [1-9]");
            return POLICIES.keySet().stream()
                    .map(policy -> described(api, "/apis/" + group(policy) + "/v1", policy))
                    .toList();
        }
    }

    private static String described(RestClient api, String version, String policy) {
        RestResponse object = api.get(path(policy, "v1") + "/x");
        String fields = object.header("kubemirror-fields");
        assertThat(api.get(version).json().at("/resources/0/kubemirrorFields/0").asString(""))
                .isEqualTo(fields);
        return fields + " " + object.body();
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
                String[] parts = read.split("\\|", 2);
                String target = objects + parts[0].strip();
                String accepted = parts[1].strip();
                doors.add(
                        new Door(
                                accepted + " " + target,
                                () -> api.get(target, "Accept", accepted)));
            }
        }
        String stream = "/kubemirror/v1/watch?timeoutSeconds=1&resource=widgets." + group(policy);
        doors.add(new Door(stream, () -> api.get(stream)));
        return doors;
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

    private ConfigurableApplicationContext start(Path directory) {
        List<String> settings =
                new ArrayList<>(
                        List.of(
                                "kubemirror.upstream.server=" + server.url(),
                                "kubemirror.persistence.directory=" + directory,
                                "kubemirror.upstream.audit-interval=1s",
                                "management.endpoints.web.exposure.include=*",
                                "logging.level.io.kubemirror=debug"));
        settings.addAll(resources(policy -> POLICIES.getOrDefault(policy, List.of())));
        return ApplicationLauncher.with(settings.toArray(String[]::new));
    }

    private static final String DEFINITIONS =
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

    private static String group(String policy) {
        return policy + ".hidden.example.com";
    }

    private static String path(String policy, String version) {
        return "/apis/%s/%s/namespaces/default/widgets".formatted(group(policy), version);
    }

    private static String definition(String policy) {
        return TestFiles.text("app/hidden-widgets.json").replace("GROUP", group(policy));
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
