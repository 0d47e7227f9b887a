package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The API server's own CEL accepts and evaluates the expressions of the policy, as rules of a
 * custom resource that looks like a pod. {@link ChartCreationTest} has it accept the container.
 */
@WithApiServer
class InjectionPolicyTest {

    private static final Pattern PATCH =
            Pattern.compile("(?m)JSONPatch\\{op: \"add\", path: (.*?), value: (.*)}(,|]\\))$");

    private static final Path DEFINITION =
            Path.of("src/test/resources/io/kubemirror/deploy/definitions/injection.yaml");

    private final ApiServer server;
    private final String namespace;
    private @TempDir Path directory;
    private RenderedChart rendered;

    InjectionPolicyTest(ApiServer server, TestNamespace namespace) {
        this.server = server;
        this.namespace = namespace.name();
        rendered = new RenderedChart(List.of());
    }

    @BeforeEach
    void renderPolicy() {
        rendered =
                Chart.of("kubemirror", directory, "mirror", "tools")
                        .render(
                                ChartValues.of(
                                        """
                                        injection: {enabled: true, namespaces: [shop]}
                                        podMonitor: {enabled: true}
                                        mirror:
                                          - resource: pods
                                            namespaces: ["${POD_NAMESPACE}"]
                                          - resource: nodes
                                          - resource: services
                                            namespaces: [office]
                                        """),
                                "1.36.0");
    }

    private String patches() {
        return rendered.only("MutatingAdmissionPolicy")
                .at("/spec/mutations/0/jsonPatch/expression")
                .asString();
    }

    private String condition() {
        return rendered.only("MutatingAdmissionPolicy")
                .at("/spec/matchConditions/0/expression")
                .asString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    conditions | {}                                        | true
                    conditions | {"initContainers": []}                    | true
                    conditions | {"initContainers": [{"name": "migrate"}]} | true
                    conditions | {"initContainers": [{"name": "migrate"}, {"name": "kubemirror"}]} | false
                    """)
    void pod_with_the_container_is_left_alone(String plural, String spec, boolean injected)
            throws IOException {
        define(plural, condition().replace("object.", "self."));

        assertThat(create(plural, spec).code()).isEqualTo(injected ? 201 : 422);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {}                                                        | 7
                    {"volumes": []}                                           | 6
                    {"volumes": [], "initContainers": [{"name": "migrate"}]}  | 5
                    """)
    void lists_are_added_where_the_pod_has_none(String spec, int size) throws IOException {
        String plural = "patches" + size;
        define(plural, "size(" + evaluable() + ") == " + size);

        RestResponse reply = create(plural, spec);

        assertThat(reply.code()).as(reply.body()).isEqualTo(201);
    }

    /** The expression with maps for the type that only policies have. */
    private String evaluable() {
        return PATCH.matcher(patches())
                .replaceAll("{\"op\": dyn(\"add\"), \"path\": dyn($1), \"value\": dyn($2)}$3")
                .replaceAll("jsonpatch[.]escapeKey\\((.*?)\\)", "$1")
                .replace("object.", "self.");
    }

    /** The literals of the expression are the container and the volumes of other pods. */
    @Test
    void injected_container_is_that_of_a_sidecar() {
        ChartValues values =
                ChartValues.of(
                        "{mirror: [{resource: nodes}], serviceAccount: {name:"
                                + " mirror-kubemirror}, fullnameOverride: mirror-kubemirror}");
        RenderedChart sidecar =
                Chart.of("example", directory.resolve("example"), "app", "shop")
                        .render(values.under("kubemirror"));
        ObjectNode pod = YamlTrees.document("{metadata: {labels: {}}, spec: {volumes: []}}");
        pod.withObject("/spec").putArray("initContainers");

        JsonNode patched = patched(pod);

        JsonNode spec = patched.path("spec");
        assertThat(spec.path("initContainers").path(0)).isEqualTo(sidecar.container());
        assertThat(spec.path("volumes")).isEqualTo(sidecar.podSpec().path("volumes"));
        assertThat(patched.at("/metadata/labels/kubemirror.io~1mirror"))
                .isEqualTo(
                        rendered.only("PodMonitor")
                                .at("/spec/selector/matchLabels/kubemirror.io~1mirror"));
    }

    /** Applies the patches whose lists exist. */
    private ObjectNode patched(ObjectNode pod) {
        PATCH.matcher(patches()).results().forEach(patch -> apply(patch, pod));
        return pod;
    }

    private static void apply(MatchResult patch, ObjectNode pod) {
        String path = patch.group(1).replaceAll("\" [+] jsonpatch.escapeKey\\(\"(.*)\"\\)", "$1\"");
        JsonNode value = JsonMapper.shared().readTree(json(patch.group(2)));
        String pointer = path.substring(1, path.length() - 1);
        if (pointer.endsWith("/0")) {
            ((ArrayNode) pod.at(pointer.replaceFirst("/0$", ""))).insert(0, value);
        } else if (pointer.endsWith("/-")) {
            ((ArrayNode) pod.at(pointer.replaceFirst("/-$", ""))).add(value);
        } else if (pointer.startsWith("/metadata/labels/")) {
            String name = pointer.replace("/metadata/labels/", "");
            pod.withObject("/metadata/labels").set(name, value);
        } else {
            assertThat(value.isEmpty()).isTrue();
        }
    }

    private static String json(String cel) {
        return cel.replaceAll("dyn\\(((\"[^\"]*\")|[0-9a-z]+)\\)", "$1")
                .replace("dyn(", "")
                .replaceAll("(?<=[]}])\\)", "");
    }

    private void define(String plural, String rule) throws IOException {
        ObjectNode definition = YamlTrees.document(Files.readString(DEFINITION).formatted(plural));
        definition
                .withObject("/spec/versions/0/schema/openAPIV3Schema")
                .putArray("x-kubernetes-validations")
                .addObject()
                .put("rule", rule.replace("\n", " "));
        RestResponse reply = new ManifestApplier(server.client()).create(definition);
        assertThat(reply.code()).as(reply.body()).isIn(201, 409);
        WaitLimit.until(
                () -> server.client().get("/apis/injection.example/v1/" + plural).code() == 200);
    }

    private RestResponse create(String plural, String spec) {
        ObjectNode object =
                JsonTrees.parse(
                        "{\"apiVersion\": \"injection.example/v1\", \"kind\": \"%s\", \"spec\": %s}"
                                .formatted(plural, spec));
        object.putObject("metadata").put("generateName", "a-").put("namespace", namespace);
        ManifestApplier applier = new ManifestApplier(server.client());
        // An API server serves a new type before its discovery names it.
        WaitLimit.until(() -> applier.serves(object));
        return applier.create(object);
    }
}
