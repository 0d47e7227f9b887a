package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

class MirrorDefinitionTest {

    private final Map<String, String> settings = new LinkedHashMap<>();

    /** The table shows of each property how it gets there. */
    @ParameterizedTest
    @CsvFileSource(resources = "/io/kubemirror/app/definitions.csv", delimiter = '|')
    void property_reaches_the_definition_or_the_watches_of_clients(String properties, String part) {
        for (String property : properties.split(" ", -1)) {
            int equals = property.indexOf('=');
            set(property.substring(0, equals), property.substring(equals + 1));
        }

        MirrorProperties bound = BoundProperties.of(settings);
        MirrorDefinition definition = MirrorDefinition.all(bound).getLast();

        assertThat(definition + " " + bound.watches()).contains(part);
    }

    @Test
    void what_repeats_values_of_dropped_fields_is_dropped() {
        set("resources[0].resource", "secrets");
        set("resources[0].drop-fields[0]", "data");
        set("allow-secrets", "true");

        assertThat(theFields())
                .isEqualTo(
                        "drop=\"data,metadata.managedFields,"
                            + "metadata.annotations['kubectl.kubernetes.io/last-applied-configuration']\"");
        set("resources[0].keep-fields[0]", "data");
        set("resources[0].drop-fields[0]", "data.key");
        assertThat(theFields()).isEqualTo("keep=\"data\", drop=\"data.key\"");
    }

    private String theFields() {
        return MirrorDefinition.all(BoundProperties.of(settings))
                .getFirst()
                .settings()
                .stored()
                .text();
    }

    private void set(String name, String value) {
        settings.put("kubemirror." + name, value);
    }
}
