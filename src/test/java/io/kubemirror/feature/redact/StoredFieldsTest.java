package io.kubemirror.feature.redact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.kubemirror.model.FieldPath;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

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
}
