package io.kubemirror.feature.redact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import module java.base;

import io.kubemirror.app.BoundProperties;
import io.kubemirror.app.MirrorDefinition;
import io.kubemirror.feature.redact.StoredFields.Redaction;
import io.kubemirror.model.FieldPath;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what the configuration says about the fields of objects. */
class RedactPropertiesTest {

    private final Map<String, String> settings = new LinkedHashMap<>();

    private void set(String name, String value) {
        settings.put("kubemirror." + name, value);
    }

    private List<MirrorDefinition> definitions() {
        return MirrorDefinition.all(BoundProperties.records(settings));
    }

    private StoredFields theFields() {
        return ((RedactingTransform) definitions().getFirst().settings().transform()).stored();
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
    void what_repeats_values_of_redacted_fields_is_dropped() {
        set("resources[0].resource", "secrets");
        set("resources[0].redact-fields[0]", "data");
        set("allow-secrets", "true");

        assertThat(theFields())
                .hasToString(
                        "drop=\"metadata.managedFields,"
                            + "metadata.annotations['kubectl.kubernetes.io/last-applied-configuration']\","
                            + " redact=\"data\"");
        assertThat(theFields().redaction()).isEqualTo(Redaction.HASH);
        set("resources[0].redact-with", "fixed");
        assertThat(theFields().redaction()).isEqualTo(Redaction.FIXED);
        set("resources[0].keep-fields[0]", "data");
        assertThat(theFields()).hasToString("keep=\"data\", redact=\"data\"");
    }

    @ParameterizedTest
    @CsvSource({
        "drop-fields[0],data,data.key is not stored",
        "keep-fields[0],metadata.labels,data.key is not stored",
        "metadata-only,true,data.key is not stored",
        "index-fields[0],data.key,data.key is redacted",
        "field-selector,data.key=1,'shows values of data.key, which is redacted'",
    })
    void redacted_field_is_stored_and_not_shown_by_selectors(
            String property, String value, String problem) {
        set("resources[0].resource", "configmaps");
        set("resources[0].redact-fields[0]", "data.key");
        set("resources[0]." + property, value);

        assertThatThrownBy(this::definitions).extracting("reason", STRING).startsWith(problem);
    }
}
