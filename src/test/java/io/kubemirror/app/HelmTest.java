package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.ReadPolicy.ReadMode;
import io.kubemirror.model.DurationRange;
import io.kubemirror.reflector.ReflectorSettings.Strategy;

import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The schema of the chart accepts every property that can be configured. */
class HelmTest {

    private static final String CONFIG = "/properties/config/properties/kubemirror/properties";
    private static final String RESOURCE = "/properties/mirror/items/properties";

    private final JsonNode schema =
            JsonMapper.shared().readTree(Path.of("helm/kubemirror/values.schema.json"));

    @Test
    void chart_schema_has_every_resource_property() {
        assertThat(schema.at(RESOURCE).propertyNames())
                .containsExactlyInAnyOrderElementsOf(names(BoundProperties.element()));
    }

    @Test
    void chart_schema_has_every_property_of_each_section() {
        assertSame(CONFIG, BoundProperties.root());
    }

    private void assertSame(String pointer, Class<?> section) {
        assertThat(schema.at(pointer).propertyNames())
                .as(pointer)
                .containsExactlyInAnyOrderElementsOf(names(section));
        for (RecordComponent part : section.getRecordComponents()) {
            if (part.getType().isRecord() && part.getType() != DurationRange.class) {
                String name = DataObjectPropertyName.toDashedForm(part.getName());
                assertSame(pointer + "/" + name + "/properties", part.getType());
            }
        }
    }

    @Test
    void chart_schema_has_every_enum_value() {
        assertThat(choices("/strategy")).isEqualTo(dashed(Strategy.values()));
        assertThat(choices("/reads")).isEqualTo(dashed(ReadMode.values()));
    }

    private List<String> choices(String property) {
        return texts(RESOURCE + property + "/enum");
    }

    private List<String> texts(String list) {
        return schema.at(list).valueStream().map(JsonNode::asString).toList();
    }

    private static List<String> dashed(Enum<?>[] values) {
        return Arrays.stream(values)
                .map(value -> value.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .toList();
    }

    private static List<String> names(Class<?> owner) {
        return Arrays.stream(owner.getRecordComponents())
                .map(component -> DataObjectPropertyName.toDashedForm(component.getName()))
                .toList();
    }
}
