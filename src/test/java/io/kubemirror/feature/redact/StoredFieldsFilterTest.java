package io.kubemirror.feature.redact;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.api.read.DocumentFilter;
import io.kubemirror.feature.redact.StoredFields.Redaction;
import io.kubemirror.model.FieldPath;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Documents of the API server show what a mirror stores of its objects (list-watch.md#ca-4). */
class StoredFieldsFilterTest {

    private static final DocumentFilter DROPS =
            new StoredFieldsFilter(new StoredFields(List.of(), paths("data", "metadata.note")));

    private static final DocumentFilter KEEPS =
            new StoredFieldsFilter(new StoredFields(paths("type"), List.of()));

    private static final DocumentFilter REDACTS =
            new StoredFieldsFilter(StoredFields.ALL.redacting(paths("data"), Redaction.FIXED));

    private static List<FieldPath> paths(String... texts) {
        return Stream.of(texts).map(FieldPath::parse).toList();
    }

    private static String shown(DocumentFilter filter, String document) {
        return new String(filter.shown(document.getBytes(UTF_8)).orElseThrow(), UTF_8);
    }

    private static final String SECRET =
            "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"x\",\"note\":\"n\"},\"data\":{\"a\":\"b\"},\"type\":\"Opaque\"}\n";

    @Test
    void object_is_shown_without_what_is_dropped() {
        assertThat(shown(DROPS, SECRET))
                .isEqualTo(
                        "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"x\"},"
                                + "\"type\":\"Opaque\"}");
    }

    @Test
    void object_is_shown_with_what_is_kept() {
        assertThat(shown(KEEPS, SECRET))
                .isEqualTo(
                        "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"x\"},"
                                + "\"type\":\"Opaque\"}");
    }

    @Test
    void object_is_shown_with_other_values_where_they_are_redacted() {
        assertThat(shown(REDACTS, SECRET)).contains("\"data\":{\"a\":\"redacted\"}");
    }

    @Test
    void object_that_is_not_stored_yet_has_no_revision_and_is_shown() {
        assertThat(shown(DROPS, "{\"kind\":\"Secret\",\"data\":{}}"))
                .isEqualTo("{\"kind\":\"Secret\"}");
    }

    @Test
    void items_of_a_list_are_shown_in_part() {
        String list =
                "{\"kind\":\"SecretList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7\"},"
                    + "\"items\":[{\"metadata\":{\"name\":\"x\"},\"data\":{}},"
                    + "{\"metadata\":{\"name\":\"y\"}}],\"other\":{\"data\":1}}";

        assertThat(shown(DROPS, list))
                .isEqualTo(
                        "{\"kind\":\"SecretList\",\"apiVersion\":\"v1\","
                                + "\"metadata\":{\"resourceVersion\":\"7\"},"
                                + "\"items\":[{\"metadata\":{\"name\":\"x\"}},"
                                + "{\"metadata\":{\"name\":\"y\"}}]}");
    }

    @Test
    void large_list_is_shown_in_part() {
        String item =
                "{\"metadata\":{\"name\":\"x\"},\"data\":{\"a\":\"" + "b".repeat(5_000) + "\"}}";
        String list =
                "{\"kind\":\"SecretList\",\"items\":[" + (item + ",").repeat(100) + item + "]}";

        assertThat(shown(DROPS, list)).hasSizeLessThan(5_000).doesNotContain("bbb");
    }

    @Test
    void status_is_shown_as_it_is() {
        String status =
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\",\"details\":{\"name\":\"x\"}}";

        assertThat(shown(DROPS, status)).isEqualTo(status);
    }

    /** Custom resources may be of any kind, and have members that are those of lists. */
    @ParameterizedTest
    @ValueSource(strings = {"Status", "Secrets"})
    void object_that_looks_like_another_document_is_shown_without_what_is_dropped(String kind) {
        String object =
                """
                {"kind":"%s","apiVersion":"x.io/v1","metadata":{"uid":"1","note":"n"},"data":"b",\
                "items":[]}\
                """
                        .formatted(kind);

        assertThat(shown(DROPS, object)).doesNotContain("note", "\"data\"").contains("items");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "k8s\0", "{}", "{\"kind\":1}", "{\"data\":1}"})
    void document_without_a_kind_is_not_shown(String document) {
        assertThat(DROPS.shown(document.getBytes(UTF_8))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "type, true",
        ".type, true",
        "data, false",
        "data[a], false",
        "data.a, false",
        "metadata, false",
        "patch, false",
        "'', false",
        "a b, false"
    })
    void cause_is_shown_where_its_field_is(String field, boolean expected) {
        String status =
                "{\"kind\":\"Status\",\"code\":422,\"message\":\"the"
                    + " value\",\"details\":{\"causes\":[{\"reason\":\"FieldValueInvalid\",\"message\":\"the"
                    + " value\",\"field\":\""
                        + field
                        + "\"}]}}";

        String shown = new String(DROPS.refusal(status.getBytes(UTF_8)).orElseThrow(), UTF_8);
        assertThat(shown.contains("the value")).isEqualTo(expected);
        assertThat(shown).contains("\"field\":\"" + field + "\"");
    }

    @Test
    void conflict_is_shown_as_it_is() {
        String status = "{\"kind\":\"Status\",\"code\":409,\"message\":\"newer\",\"details\":{}}";

        assertThat(DROPS.refusal(status.getBytes(UTF_8))).contains(status.getBytes(UTF_8));
    }

    @Test
    void only_metadata_is_hidden_by_members_of_it() {
        assertThat(DROPS.hidesContent()).isTrue();
        assertThat(KEEPS.hidesContent()).isTrue();
        assertThat(
                        new StoredFieldsFilter(
                                        new StoredFields(
                                                List.of(), paths("metadata.managedFields")))
                                .hidesContent())
                .isFalse();
    }
}
