package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.kube.json.StoredFields;
import io.kubemirror.kube.json.StoredFieldsTransform;
import io.kubemirror.model.FieldPath;

import org.junit.jupiter.api.Test;

/** Tests what the configuration says about the fields of objects. */
class StoredFieldsPropertiesTest {

    private final Map<String, String> settings = new LinkedHashMap<>();

    private void set(String name, String value) {
        settings.put("kubemirror." + name, value);
    }

    private List<MirrorDefinition> definitions() {
        return MirrorDefinition.all(BoundProperties.of(settings));
    }

    private StoredFields theFields() {
        return ((StoredFieldsTransform) definitions().getFirst().settings().transform()).stored();
    }

    @Test
    void dropped_fields_are_parsed_as_paths() {
        set("resources[0].resource", "pods");
        set("resources[0].drop-fields[0]", "metadata.managedFields");
        set("resources[0].drop-fields[1]", "metadata.annotations['example.com/a.b']");

        assertThat(theFields().dropped())
                .startsWith(
                        new FieldPath(List.of("metadata", "managedFields")),
                        new FieldPath(List.of("metadata", "annotations", "example.com/a.b")));
    }

    @Test
    void what_repeats_values_of_dropped_fields_is_dropped() {
        set("resources[0].resource", "secrets");
        set("resources[0].drop-fields[0]", "data");
        set("allow-secrets", "true");

        assertThat(theFields().text())
                .isEqualTo(
                        "drop=\"data,metadata.managedFields,"
                            + "metadata.annotations['kubectl.kubernetes.io/last-applied-configuration']\"");
        set("resources[0].keep-fields[0]", "data");
        set("resources[0].drop-fields[0]", "data.key");
        assertThat(theFields().text()).isEqualTo("keep=\"data\", drop=\"data.key\"");
    }
}
