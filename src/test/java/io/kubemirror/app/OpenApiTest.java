package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

import io.kubemirror.api.server.HealthEndpoints;
import io.kubemirror.deploy.YamlTrees;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient.RestResponse;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The document of our own endpoints is valid, complete, and says what they answer. */
class OpenApiTest {

    @AutoClose
    private static final ConfigurableApplicationContext APPLICATION =
            ApplicationLauncher.with("kubemirror.resources[0].resource=pods");

    private static final JsonNode DOCUMENT = YamlTrees.file(Path.of("src", "docs", "openapi.yaml"));

    /** By the schema of the OpenAPI Initiative, which is copied. */
    @Test
    void document_is_valid() throws IOException {
        JsonNode schema =
                JsonTrees.parse(
                        Files.readString(
                                Path.of("src", "test", "resources", "openapi", "3.1.json")));

        assertThat(problems(schema, DOCUMENT)).isEmpty();
        assertThat(problems(schema, JsonTrees.parse("{\"openapi\": \"3.1.0\"}"))).isNotEmpty();
    }

    @Test
    void document_has_the_version_of_the_build() {
        JsonNode build = JsonTrees.parse(get("/actuator/info").body()).path("build");

        assertThat(build.path("version").asString().replace("-SNAPSHOT", ""))
                .isEqualTo(DOCUMENT.at("/info/version").asString());
    }

    @Test
    void document_names_exactly_the_paths_that_exist() {
        Set<String> existing = new TreeSet<>(HealthEndpoints.paths());
        existing.add("/");
        existing.add("/kubemirror/v1/watch");
        for (JsonNode link : JsonTrees.parse(get("/actuator").body()).path("_links")) {
            String path = link.path("href").asString().replaceFirst("^http://[^/]+", "");
            existing.add(path.replace("{*", "{").replaceFirst("\\{toMatch}", "{path}"));
        }

        assertThat(DOCUMENT.path("paths").propertyNames())
                .containsExactlyInAnyOrderElementsOf(existing);
    }

    /** The stream is tested by its feature. */
    static Stream<String> answered() {
        return DOCUMENT.path("paths").propertyNames().stream()
                .filter(path -> !path.equals("/kubemirror/v1/watch"));
    }

    @ParameterizedTest
    @MethodSource("answered")
    void answer_is_as_documented(String path) {
        RestResponse answer = get(example(path));
        JsonNode content = resolve(response(path, answer)).path("content");
        String type = answer.header("content-type").replaceFirst(";.*", "");

        assertThat(content.propertyNames()).contains(type);
        JsonNode body =
                type.endsWith("json")
                        ? JsonTrees.parse(answer.body())
                        : JsonMapper.shared().valueToTree(answer.body());
        assertThat(problems(schema(content.path(type).path("schema")), body)).isEmpty();
    }

    @Test
    void diagnosis_is_as_documented() {
        JsonNode schema = schema(DOCUMENT.at("/components/schemas/Diagnosis"));
        String body = get("/actuator/mirrors").body();

        assertThat(problems(schema, JsonTrees.parse(body))).isEmpty();
        assertThat(problems(schema, JsonTrees.parse(body.replace("\"findings\":", "\"found\":"))))
                .isNotEmpty();
    }

    @Test
    void answer_about_a_mirror_that_does_not_exist_names_those_that_do() {
        RestResponse answer = get("/actuator/mirrors/nothing");

        JsonNode body = JsonTrees.parse(answer.body());
        JsonNode documented =
                DOCUMENT.at("/paths/~1actuator~1mirrors~1{mirror}/get/responses/404/content")
                        .path(answer.header("content-type"))
                        .path("schema");
        assertThat(problems(schema(documented), body)).isEmpty();
        assertThat(body.path("error").asString()).isEqualTo("there is no mirror nothing");
        assertThat(body.path("mirrors").valueStream().map(JsonNode::asString)).contains("pods");
    }

    private static JsonNode response(String path, RestResponse answer) {
        JsonNode responses = DOCUMENT.path("paths").path(path).at("/get/responses");
        String code = Integer.toString(answer.code());
        assertThat(responses.propertyNames()).contains(code);
        return responses.path(code);
    }

    /** The schema with the components that it may refer to. */
    private static JsonNode schema(JsonNode schema) {
        ObjectNode complete = JsonTrees.object();
        complete.putArray("allOf").add(schema);
        complete.set("components", DOCUMENT.path("components"));
        return complete;
    }

    private static List<String> problems(JsonNode schema, JsonNode instance) {
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(schema)
                .validate(instance)
                .stream()
                .map(Object::toString)
                .toList();
    }

    private static JsonNode resolve(JsonNode node) {
        return node.has("$ref") ? DOCUMENT.at(node.path("$ref").asString().substring(1)) : node;
    }

    /** The path with the examples of its parameters. */
    private static String example(String path) {
        String found = path;
        for (JsonNode parameter : DOCUMENT.path("paths").path(path).path("parameters")) {
            JsonNode resolved = resolve(parameter);
            found =
                    found.replace(
                            "{" + resolved.path("name").asString("") + "}",
                            resolved.path("example").asString(""));
        }
        return found;
    }

    private static RestResponse get(String path) {
        return (path.startsWith("/actuator") || path.equals("/")
                        ? ApplicationLauncher.management(APPLICATION)
                        : ApplicationLauncher.api(APPLICATION))
                .get(path);
    }
}
