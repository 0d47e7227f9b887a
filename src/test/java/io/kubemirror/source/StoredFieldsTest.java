package io.kubemirror.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import module java.base;

import io.kubemirror.model.FieldPath;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoredFieldsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "metadata",
                "metadata.name",
                "metadata.namespace",
                "metadata.uid",
                "metadata.resourceVersion",
            })
    void identity_fields_cannot_be_dropped(String path) {
        List<FieldPath> dropped = List.of(FieldPath.parse(path));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StoredFields(List.of(), dropped))
                .withMessage(path + " cannot be dropped");
    }

    @Test
    void fields_other_than_identity_can_be_dropped() {
        List<FieldPath> dropped =
                List.of(FieldPath.parse("metadata.labels"), FieldPath.parse("spec"));

        assertThat(new StoredFields(List.of(), dropped).dropped()).isEqualTo(dropped);
    }

    private static final String MANAGED = "metadata.managedFields";

    private static final String APPLIED =
            "metadata.annotations['kubectl.kubernetes.io/last-applied-configuration']";

    @ParameterizedTest
    @CsvSource({
        "'', spec.secret, false",
        "metadata, '', false",
        "'', '', true",
        "'', metadata.finalizers, true",
    })
    void what_repeats_hidden_values_is_hidden(String kept, String dropped, boolean metadataOnly) {
        StoredFields stored = fields(kept, dropped).withoutCopies(metadataOnly);

        assertThat(stored.dropped()).containsAll(paths(MANAGED + " " + APPLIED));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "\"\", \"\"",
                "\"\", " + MANAGED,
                "\"\", " + APPLIED,
                MANAGED + " " + APPLIED + ", spec",
                "spec, metadata.annotations metadata.managedFields",
            })
    void nothing_else_is_left_out_if_nothing_is_hidden_or_all_was_named(
            String kept, String dropped) {
        StoredFields stored = fields(kept, dropped);

        assertThat(stored.withoutCopies(false)).isEqualTo(stored);
    }

    private static StoredFields fields(String kept, String dropped) {
        return new StoredFields(paths(kept), paths(dropped));
    }

    private static List<FieldPath> paths(String texts) {
        return Stream.of(texts.split(" "))
                .filter(text -> !text.isEmpty())
                .map(FieldPath::parse)
                .toList();
    }
}
