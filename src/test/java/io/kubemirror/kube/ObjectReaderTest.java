package io.kubemirror.kube;

import static io.kubemirror.kube.UpstreamSamples.pods;
import static io.kubemirror.kube.UpstreamSamples.podsWith;
import static io.kubemirror.kube.UpstreamSamples.stream;
import static io.kubemirror.kube.UpstreamSamples.text;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.kube.json.ObjectReader;
import io.kubemirror.kube.json.ObjectReader.ReadResult;
import io.kubemirror.kube.json.RecordingInputStream;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.source.ResourceCollection;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.core.JsonParser;

class ObjectReaderTest {

    private static final String METADATA =
            "\"metadata\":{\"name\":\"web\",\"namespace\":\"shop\",\"uid\":\"u1\",\"resourceVersion\":\"42\"}";

    @Test
    void key_uid_and_revision_are_read() {
        KubeObject object = read(pods(), "{" + METADATA + "}");

        assertThat(object.key()).isEqualTo(ObjectKey.of("shop", "web"));
        assertThat(object.uid()).isEqualTo("u1");
        assertThat(object.revision()).isEqualTo(new Revision("42"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",M,\"z\":1} | {M,\"z\":1}",
                "{M,\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"z\":1} | {M,\"z\":1}",
                "{M,\"z\":1,\"kind\":\"Pod\",\"apiVersion\":\"v1\"} | {M,\"z\":1}",
                "{\"apiVersion\":\"v1\",M,\"kind\":\"Pod\"} | {M}",
                "{ \"kind\" : \"Pod\" , M , \"apiVersion\" : \"v1\" } | { M  }",
                "{M,\"kind\":\"X\",\"kind\":\"Pod\"} | {M}",
            })
    void kind_and_api_version_are_removed_at_any_position(String json, String stored) {
        KubeObject object = read(pods(), json.replace("M", METADATA));

        assertThat(text(object.json())).isEqualTo(stored.replace("M", METADATA));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{M,\"s\":{\"a\":\"x\",\"b\":\"y\"}}  | x",
                "{M,\"s\":{\"b\":\"y\"}}              | y",
                "{M,\"s\":{\"b\":\"y\",\"a\":null}}   | y",
                "{M,\"s\":{\"b\":\"y\",\"a\":\"\"}}   | y",
                "{M,\"s\":{\"b\":\"y\",\"a\":{}}}     | y",
                "{M,\"s\":{\"b\":\"y\",\"a\":[\"x\"]}}| y",
                "{M,\"s\":{\"a\":true}}               | true",
                "{M,\"s\":{\"a\":-12}}                | -12",
                "{M,\"s\":{\"a\":1.5}}                | none",
                "{M,\"s\":\"a\"}                      | none",
                "{M}                                  | none",
                "{M,\"s\":{\"a\":\"x\",\"a\":\"z\"}}  | z",
                "{M,\"s\":{\"a\":\"x\"},\"s\":{}}     | none",
            })
    void first_source_with_a_value_wins(String json, String value) {
        SelectableField field =
                new SelectableField(
                        "f", List.of(FieldPath.parse("s.a"), FieldPath.parse("s.b")), "none");

        KubeObject object = read(podsWith(field), json.replace("M", METADATA));

        assertThat(object.fields()).isEqualTo(Map.of("f", value));
    }

    @Test
    void name_and_namespace_are_not_stored_as_fields() {
        KubeObject object =
                read(
                        podsWith(
                                SelectableField.at("metadata.name"),
                                SelectableField.at("metadata.namespace")),
                        "{" + METADATA + "}");

        assertThat(object.fields()).isEmpty();
    }

    @Test
    void last_of_duplicate_members_wins() {
        String second = METADATA.replace("42", "43").replace("web", "db");

        KubeObject object =
                read(
                        pods(),
                        "{\"metadata\":{\"labels\":{\"a\":\"b\"},\"name\":\"x\"}," + second + "}");

        assertThat(object.key()).isEqualTo(ObjectKey.of("shop", "db"));
        assertThat(object.labels()).isEmpty();
        assertThat(text(object, object.metadata())).contains("\"43\"");
        assertThat(text(object, object.version())).isEqualTo("43");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"kind\":\"Node\",M}",
                "{\"apiVersion\":\"apps/v1\",M}",
                "{\"kind\":\"Table\",\"rows\":[]}",
                "{}",
                "{\"metadata\":{\"resourceVersion\":\"1\"}}",
                "{\"metadata\":{\"name\":\"\",\"resourceVersion\":\"1\"}}",
                "{\"metadata\":null}",
            })
    void object_outside_the_collection_is_foreign(String json) {
        assertThat(found(pods(), json.replace("M", METADATA)))
                .isInstanceOf(ReadResult.Foreign.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"metadata\":{\"name\":\"n\"}}",
                "{\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"\"}}",
                "{\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"abc\"}}",
                "{\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"01\"}}",
                "{\"metadata\":{\"name\":\"n\",\"resourceVersion\":7}}",
                "{\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"\\u0031\"}}",
            })
    void object_without_a_decimal_revision_is_untrackable(String json) {
        assertThat(found(pods(), json)).isInstanceOf(ReadResult.Untrackable.class);
    }

    private static KubeObject read(ResourceCollection collection, String json) {
        ReadResult found = found(collection, json);
        assertThat(found).isInstanceOf(ReadResult.Whole.class);
        return ((ReadResult.Whole) found).object();
    }

    private static ReadResult found(ResourceCollection collection, String json) {
        RecordingInputStream input =
                new RecordingInputStream(stream(json), 1 << 20, MemoryBudget.unlimited());
        try (JsonParser parser = input.parser()) {
            parser.nextToken();
            ObjectReader reader =
                    new ObjectReader(parser, input, collection, /* changeTimes= */ false);
            reader.read();
            return reader.take();
        }
    }
}
