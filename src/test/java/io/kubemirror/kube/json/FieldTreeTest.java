package io.kubemirror.kube.json;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.kube.RandomObjects;
import io.kubemirror.kube.json.ObjectReader.ReadResult;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.model.Selection;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.source.StoredFields;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.core.JsonParser;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Compares what is stored of objects with a parsed tree of each. */
class FieldTreeTest {

    private static final JsonMapper MAPPER = JsonMapper.shared();
    private static final int OBJECTS = 60;
    private static final ResourceType PODS =
            new ResourceType("", "v1", "Pod", "pods", "pod", true, List.of("po"), List.of("all"));
    private static final String METADATA =
            "\"metadata\":{\"name\":\"web\",\"namespace\":\"shop\",\"uid\":\"u1\",\"resourceVersion\":\"42\"}";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{M,\"s\":{\"a\":1,\"b\":2,\"c\":3}} | s.a     | {M,\"s\":{\"b\":2,\"c\":3}}",
                "{M,\"s\":{\"a\":1,\"b\":2,\"c\":3}} | s.b     | {M,\"s\":{\"a\":1,\"c\":3}}",
                "{M,\"s\":{\"a\":1,\"b\":2,\"c\":3}} | s.c     | {M,\"s\":{\"a\":1,\"b\":2}}",
                "{M,\"s\":{\"a\":1,\"b\":2,\"c\":3}} | s.a s.b | {M,\"s\":{\"c\":3}}",
                "{M,\"s\":{\"a\":1,\"b\":2,\"c\":3}} | s.b s.c | {M,\"s\":{\"a\":1}}",
                "{M,\"s\":{\"a\":1,\"b\":2,\"c\":3}} | s.a s.c | {M,\"s\":{\"b\":2}}",
                "{M,\"s\":{\"a\":1,\"b\":2}}         | s.a s.b | {M,\"s\":{}}",
                "{M,\"s\":{\"a\":1}}                 | s.a     | {M,\"s\":{}}",
                "{M,\"s\":{\"a\":{\"x\":1}},\"t\":1} | s.a.x s | {M,\"t\":1}",
                "{M,\"s\":{\"a\":{\"x\":1}},\"t\":1} | s s.a.x | {M,\"t\":1}",
                "{M,\"s\":[{\"a\":1}]}               | s.a     | {M,\"s\":[{\"a\":1}]}",
                "{M,\"s\":null,\"t\":\"a,{\"}        | s.a     | {M,\"s\":null,\"t\":\"a,{\"}",
                "{\"s\":[1,2],M}                     | s       | {M}",
            })
    void dropped_members_are_removed_with_their_comma(String json, String paths, String stored) {
        KubeObject object = read(json.replace("M", METADATA), paths.split(" "));

        assertThat(text(object.json())).isEqualTo(stored.replace("M", METADATA));
    }

    @Test
    void dropped_labels_are_still_read() {
        String json =
                "{\"metadata\":{\"labels\":{\"app\":\"a\",\"tier\":\"b\"},\"name\":\"n\",\"resourceVersion\":\"1\"}}";

        KubeObject object = read(json, "metadata.labels.app");

        assertThat(object.labels()).isEqualTo(Map.of("app", "a", "tier", "b"));
        assertThat(text(object.json())).contains("\"labels\":{\"tier\":\"b\"}");
    }

    @Test
    void dropped_selectable_field_is_still_read() {
        KubeObject object = read("{" + METADATA + ",\"spec\":{\"nodeName\":\"n1\"}}", "spec");

        assertThat(object.fields()).isEqualTo(Map.of("spec.nodeName", "n1"));
        assertThat(text(object.json())).isEqualTo("{" + METADATA + "}");
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void fields_that_are_kept_or_not_dropped_stay_with_the_identity(long seed) {
        RandomObjects objects = new RandomObjects(new Random(seed));
        List<String> sent = objects.several(OBJECTS);
        List<FieldPath> paths = objects.pathsInto(sent);
        // An odd seed keeps everything but what is dropped.
        int keeps = seed % 2 == 0 ? Math.max(1, paths.size() / 2) : 0;
        List<FieldPath> kept = paths.subList(0, keeps);
        List<FieldPath> dropped = paths.subList(kept.size(), paths.size());
        StoredFields stored = new StoredFields(kept, dropped);

        List<KubeObject> received = receive(stored, sent);

        assertThat(received).as("seed %d", seed).hasSameSizeAs(sent);
        for (int i = 0; i < sent.size(); i++) {
            ObjectNode whole = (ObjectNode) MAPPER.readTree(sent.get(i));
            ObjectNode expected = kept.isEmpty() ? whole : MAPPER.createObjectNode();
            if (!kept.isEmpty()) {
                stored.remaining().forEach(path -> copy(whole, path.segments(), expected));
            }
            dropped.forEach(path -> remove(expected, path.segments()));
            expected.remove(List.of("kind", "apiVersion"));
            KubeObject object = received.get(i);
            JsonNode found = MAPPER.readTree(object.json());
            assertThat(kept.isEmpty() ? found : withoutEmpty(found))
                    .as("seed %d, object %d, %s without %s", seed, i, kept, dropped)
                    .isEqualTo(kept.isEmpty() ? expected : withoutEmpty(expected));
            assertThat(MAPPER.readTree(text(object, object.metadata())))
                    .as("seed %d, metadata of object %d", seed, i)
                    .isEqualTo(MAPPER.readTree(object.json()).get("metadata"));
            assertThat(text(object, object.version()))
                    .as("seed %d, version of object %d", seed, i)
                    .isEqualTo(object.revision().digits());
        }
    }

    /** A text may be longer than what is decoded of one. */
    @ParameterizedTest
    @ValueSource(strings = {"drop", "keep"})
    void long_text_is_left_out_without_being_decoded(String how) {
        List<FieldPath> paths = List.of(FieldPath.parse("data.large"));
        StoredFields stored =
                switch (how) {
                    case "drop" -> new StoredFields(List.of(), paths);
                    default -> new StoredFields(List.of(FieldPath.parse("data.small")), List.of());
                };
        String object =
                "{\"data\":{\"large\":\"%s\" ,\"small\":1},\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"1\"}}"
                        .formatted("x".repeat(600_000));

        KubeObject read = receive(stored, List.of(object)).getFirst();

        assertThat(MAPPER.readTree(read.json()).get("data")).hasToString("{\"small\":1}");
    }

    private static void copy(ObjectNode from, List<String> path, ObjectNode to) {
        String name = path.getFirst();
        JsonNode value = from.get(name);
        if (value != null && path.size() == 1) {
            to.set(name, value.deepCopy());
        } else if (value instanceof ObjectNode part) {
            ObjectNode mine =
                    to.get(name) instanceof ObjectNode known ? known : MAPPER.createObjectNode();
            to.set(name, mine);
            copy(part, path.subList(1, path.size()), mine);
        }
    }

    /** An object of which nothing is kept may stay, without members. */
    private static JsonNode withoutEmpty(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.properties().forEach(member -> withoutEmpty(member.getValue()));
            List<String> empty =
                    object.properties().stream()
                            .filter(member -> member.getValue().isObject())
                            .filter(member -> member.getValue().isEmpty())
                            .map(Map.Entry::getKey)
                            .toList();
            object.remove(empty);
        }
        return node;
    }

    private static void remove(JsonNode node, List<String> path) {
        if (!(node instanceof ObjectNode object)) {
            return;
        }
        String name = path.getFirst();
        if (path.size() == 1) {
            object.remove(name);
        } else if (object.has(name)) {
            remove(object.get(name), path.subList(1, path.size()));
        }
    }

    private static KubeObject read(String json, String... dropped) {
        List<FieldPath> paths = Arrays.stream(dropped).map(FieldPath::parse).toList();
        return receive(new StoredFields(List.of(), paths), List.of(json)).getFirst();
    }

    private static List<KubeObject> receive(StoredFields stored, List<String> objects) {
        ObjectShape shape = new ObjectShape(List.of(SelectableField.at("spec.nodeName")), stored);
        ResourceCollection collection = new ResourceCollection(PODS, Selection.everything(), shape);
        List<KubeObject> received = new ArrayList<>();
        for (String object : objects) {
            RecordingInputStream input =
                    new RecordingInputStream(
                            new ByteArrayInputStream(object.getBytes(UTF_8)),
                            1 << 20,
                            MemoryBudget.unlimited());
            try (JsonParser parser = input.parser()) {
                parser.nextToken();
                ObjectReader reader =
                        new ObjectReader(parser, input, collection, /* changeTimes= */ false);
                reader.read();
                received.add(((ReadResult.Whole) reader.take()).object());
            }
        }
        return received;
    }

    private static String text(byte[] json) {
        return new String(json, UTF_8);
    }

    private static String text(KubeObject object, KubeObject.Span span) {
        return text(Arrays.copyOfRange(object.json(), span.start(), span.end()));
    }
}
