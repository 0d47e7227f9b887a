package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.GeneratedPage;
import io.kubemirror.testing.TestFiles;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The configuration reference equals the configuration metadata. */
class ConfigurationDocumentTest {

    /** Writes the file if {@code -Dconfiguration.write=true} is set. */
    @Test
    void configuration_page_matches_the_metadata() throws IOException {
        new GeneratedPage("configuration").assertMatches(text());
    }

    /** Editors show the mark, too. */
    @Test
    void ten_properties_that_you_need_are_those_that_the_code_marks() {
        Set<String> ten =
                Pattern.compile("^\\| `(kubemirror[^`]+)`", Pattern.MULTILINE)
                        .matcher(HEAD)
                        .results()
                        .map(row -> row.group(1))
                        .collect(Collectors.toCollection(TreeSet::new));

        assertThat(ten).hasSize(10).isEqualTo(keys());
    }

    @Test
    void every_property_has_a_description() {
        assertThat(text().lines().filter(line -> line.startsWith("| `")))
                .isNotEmpty()
                .noneMatch(line -> line.endsWith("|  |"));
    }

    private static final String ELEMENT = "kubemirror.resources[].";

    /** What the description of a property begins with that is among the ten. */
    private static final String KEY = "[KEY] ";

    /** The page up to its reference. */
    private static final String HEAD = TestFiles.text("app/configuration-head.md");

    static String text() {
        return properties().entrySet().stream()
                .map(entry -> row(entry.getKey(), entry.getValue()))
                .collect(Collectors.joining("", HEAD, ""));
    }

    /** Returns the names of the properties that the code marks. */
    static Set<String> keys() {
        return properties().entrySet().stream()
                .filter(entry -> entry.getValue().path("description").asString().contains(KEY))
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Map<String, JsonNode> properties() {
        Map<String, JsonNode> found = new TreeMap<>();
        for (JsonNode property : properties("/META-INF/spring-configuration-metadata.json")) {
            String name = property.path("name").asString();
            if (name.startsWith("kubemirror.")) {
                found.putIfAbsent(name, property);
            }
        }
        String element =
                "/META-INF/spring/configuration-metadata/"
                        + BoundProperties.element().getName()
                        + ".json";
        for (JsonNode property : properties(element)) {
            found.putIfAbsent(ELEMENT + property.path("name").asString(), property);
        }
        return found;
    }

    private static JsonNode properties(String resource) {
        try (InputStream metadata = ConfigurationDocumentTest.class.getResourceAsStream(resource)) {
            return JsonMapper.shared()
                    .readTree(Objects.requireNonNull(metadata, resource))
                    .path("properties");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String row(String name, JsonNode property) {
        JsonNode value = property.path("defaultValue");
        String text =
                value.isArray()
                        ? value.valueStream()
                                .map(JsonNode::asString)
                                .collect(Collectors.joining(","))
                        : value.asString("");
        return "| `%s` | %s | %s | %s |\n"
                .formatted(
                        name,
                        kind(property.path("type").asString()),
                        text.isEmpty() ? "" : "`" + text + "`",
                        property.path("description")
                                .asString()
                                .replace(KEY, "")
                                .replaceAll("[|*]", "\\\\$0"));
    }

    /** How a value is written. */
    private static String kind(String type) {
        return switch (type) {
            case "java.lang.String",
                    "io.kubemirror.model.FieldPath",
                    "io.kubemirror.model.FieldSelector",
                    "io.kubemirror.model.LabelSelector",
                    "io.kubemirror.model.SelectableFields$SelectableField" ->
                    "text";
            case "java.nio.file.Path" -> "path";
            case "java.lang.Integer", "java.lang.Long" -> "number";
            case "java.lang.Boolean" -> "`true` or `false`";
            case "java.time.Duration" -> "duration";
            case "io.kubemirror.model.DurationRange" -> "duration, or range of durations";
            case "org.springframework.util.unit.DataSize" -> "size";
            case String list when isElements(list) -> "list, see below";
            case String set when set.contains("<") ->
                    "list of " + kind(set.substring(set.indexOf('<') + 1, set.length() - 1));
            case String constants -> constants(constants);
        };
    }

    private static boolean isElements(String type) {
        return type.equals("java.util.List<" + BoundProperties.element().getName() + ">");
    }

    private static String constants(String type) {
        try {
            return Arrays.stream(Class.forName(type).getEnumConstants())
                    .map(constant -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT))
                    .map(name -> "`" + name.replace('_', '-') + "`")
                    .collect(Collectors.joining(", "));
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(type, e);
        }
    }
}
