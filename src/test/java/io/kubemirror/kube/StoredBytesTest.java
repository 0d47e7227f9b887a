package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.FieldPath;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ObjectShape;
import io.kubemirror.model.StoredFields;
import io.kubemirror.model.StoredFields.Redaction;
import io.kubemirror.source.ListMeta;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import javax.crypto.spec.SecretKeySpec;

/**
 * Compares the stored bytes of random objects, from streams that arrive in random pieces, with a
 * parsed tree of each object.
 */
class StoredBytesTest {

    private static final JsonMapper MAPPER = JsonMapper.shared();
    private static final int OBJECTS = 60;
    private static final Set<String> KIND = Set.of("kind", "apiVersion");
    private static final byte[] KEY = new byte[32];

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void dropping_fields_leaves_the_rest_of_the_object_unchanged(long seed) {
        RandomObjects objects = new RandomObjects(new Random(seed));
        List<String> sent = objects.several(OBJECTS);
        List<FieldPath> dropped = objects.pathsInto(sent);
        ResourceCollection collection = UpstreamSamples.shaped(new ObjectShape(List.of(), dropped));

        List<KubeObject> received = receive(collection, sent, new Random(seed));

        assertThat(received).as("seed %d", seed).hasSameSizeAs(sent);
        for (int i = 0; i < sent.size(); i++) {
            ObjectNode expected = (ObjectNode) MAPPER.readTree(sent.get(i));
            expected.remove(List.of("kind", "apiVersion"));
            dropped.forEach(path -> remove(expected, path.segments()));
            KubeObject object = received.get(i);
            JsonNode stored = MAPPER.readTree(object.json());
            assertThat(stored).as("seed %d, object %d", seed, i).isEqualTo(expected);
            assertThat(MAPPER.readTree(UpstreamSamples.text(object, object.metadata())))
                    .as("seed %d, metadata of object %d", seed, i)
                    .isEqualTo(expected.get("metadata"));
            assertThat(UpstreamSamples.text(object, object.version()))
                    .as("seed %d, version of object %d", seed, i)
                    .isEqualTo(object.revision().digits());
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void keeping_fields_leaves_only_these_and_the_identity(long seed) {
        RandomObjects objects = new RandomObjects(new Random(seed));
        List<String> sent = objects.several(OBJECTS);
        List<FieldPath> paths = objects.pathsInto(sent);
        List<FieldPath> kept = paths.subList(0, Math.max(1, paths.size() / 2));
        List<FieldPath> dropped = paths.subList(kept.size(), paths.size());
        ObjectShape shape = new ObjectShape(List.of(), new StoredFields(kept, dropped));

        List<KubeObject> received = receive(UpstreamSamples.shaped(shape), sent, new Random(seed));

        assertThat(received).as("seed %d", seed).hasSameSizeAs(sent);
        for (int i = 0; i < sent.size(); i++) {
            ObjectNode whole = (ObjectNode) MAPPER.readTree(sent.get(i));
            ObjectNode expected = MAPPER.createObjectNode();
            shape.stored().remaining().forEach(path -> copy(whole, path.segments(), expected));
            dropped.forEach(path -> remove(expected, path.segments()));
            expected.remove(List.of("kind", "apiVersion"));
            KubeObject object = received.get(i);
            assertThat(withoutEmpty(MAPPER.readTree(object.json())))
                    .as("seed %d, object %d, %s without %s", seed, i, kept, dropped)
                    .isEqualTo(withoutEmpty(expected));
            assertThat(UpstreamSamples.text(object, object.version()))
                    .as("seed %d, version of object %d", seed, i)
                    .isEqualTo(object.revision().digits());
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void redacting_fields_replaces_values_by_others_of_their_type(long seed) {
        RandomObjects objects = new RandomObjects(new Random(seed));
        List<String> sent = objects.several(OBJECTS);
        List<FieldPath> paths = objects.pathsInto(sent);
        List<FieldPath> dropped = paths.subList(0, paths.size() / 3);
        List<FieldPath> redacted =
                paths.subList(dropped.size(), paths.size()).stream()
                        .filter(path -> !KIND.contains(path.segments().getFirst()))
                        .toList();
        for (Redaction with : Redaction.values()) {
            StoredFields stored =
                    new StoredFields(
                            List.of(), dropped, redacted, with, new SecretKeySpec(KEY, "x"));

            List<KubeObject> received =
                    receive(
                            UpstreamSamples.shaped(new ObjectShape(List.of(), stored)),
                            sent,
                            new Random(seed));

            for (int i = 0; i < sent.size(); i++) {
                ObjectNode expected = (ObjectNode) MAPPER.readTree(sent.get(i));
                expected.remove(List.of("kind", "apiVersion"));
                redacted.forEach(path -> redact(expected, path.segments()));
                dropped.forEach(path -> remove(expected, path.segments()));
                KubeObject object = received.get(i);
                JsonNode found = MAPPER.readTree(object.json());
                redacted.forEach(path -> redact(found, path.segments()));
                assertThat(found).as("seed %d, object %d", seed, i).isEqualTo(expected);
                assertThat(MAPPER.readTree(UpstreamSamples.text(object, object.metadata())))
                        .as("seed %d, metadata of object %d", seed, i)
                        .isEqualTo(MAPPER.readTree(object.json()).get("metadata"));
                assertThat(UpstreamSamples.text(object, object.version()))
                        .as("seed %d, version of object %d", seed, i)
                        .isEqualTo(object.revision().digits());
            }
        }
    }

    /** Replaces all values of a member by one of their type, whatever they are. */
    private static void redact(JsonNode node, List<String> path) {
        if (!(node instanceof ObjectNode object) || !object.has(path.getFirst())) {
            return;
        }
        if (path.size() == 1) {
            object.set(path.getFirst(), blank(object.get(path.getFirst())));
        } else {
            redact(object.get(path.getFirst()), path.subList(1, path.size()));
        }
    }

    private static JsonNode blank(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT -> {
                ObjectNode all = MAPPER.createObjectNode();
                value.properties().forEach(one -> all.set(one.getKey(), blank(one.getValue())));
                yield all;
            }
            case ARRAY -> {
                ArrayNode all = MAPPER.createArrayNode();
                value.forEach(one -> all.add(blank(one)));
                yield all;
            }
            case STRING -> MAPPER.valueToTree("text");
            case NUMBER -> MAPPER.valueToTree(1);
            case BOOLEAN -> MAPPER.valueToTree(false);
            default -> value;
        };
    }

    @Test
    void hash_shows_changes_and_nothing_else() {
        String first = redacted("u1", "\"secret\"", Redaction.HASH);

        assertThat(first)
                .matches("\"[0-9a-f]{32}\"")
                .isEqualTo(redacted("u1", "\"secret\"", Redaction.HASH));
        assertThat(redacted("u1", "\"other\"", Redaction.HASH)).isNotEqualTo(first);
        assertThat(redacted("u2", "\"secret\"", Redaction.HASH))
                .as("another object")
                .isNotEqualTo(first);
        assertThat(redacted("u1", "7", Redaction.HASH)).matches("[0-9]+").isNotEqualTo("7");
        assertThat(redacted("u1", "8", Redaction.HASH))
                .isNotEqualTo(redacted("u1", "7", Redaction.HASH));
        assertThat(redacted("u1", "true", Redaction.HASH)).isEqualTo("false");
        assertThat(redacted("u1", "\"secret\"", Redaction.FIXED)).isEqualTo("\"redacted\"");
        assertThat(redacted("u1", "7", Redaction.FIXED)).isEqualTo("0");
    }

    private static String redacted(String uid, String value, Redaction with) {
        StoredFields stored =
                new StoredFields(
                        List.of(),
                        List.of(),
                        List.of(FieldPath.parse("data")),
                        with,
                        new SecretKeySpec(KEY, "x"));
        String object =
                "{\"data\":{\"key\":%s},\"metadata\":{\"name\":\"n\",\"uid\":\"%s\",\"resourceVersion\":\"1\"}}"
                        .formatted(value, uid);
        KubeObject read =
                receive(
                                UpstreamSamples.shaped(new ObjectShape(List.of(), stored)),
                                List.of(object),
                                new Random(1))
                        .getFirst();
        return MAPPER.readTree(read.json()).at("/data/key").toString();
    }

    /** A text may be longer than what is decoded of one. */
    @ParameterizedTest
    @ValueSource(strings = {"drop", "redact", "keep"})
    void long_text_is_left_out_without_being_decoded(String how) {
        List<FieldPath> paths = List.of(FieldPath.parse("data.large"));
        StoredFields stored =
                switch (how) {
                    case "drop" -> new StoredFields(List.of(), paths);
                    case "redact" ->
                            new StoredFields(List.of(), List.of(), paths, Redaction.FIXED, null);
                    default -> new StoredFields(List.of(FieldPath.parse("data.small")), List.of());
                };
        String object =
                "{\"data\":{\"large\":\"%s\" ,\"small\":1},\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"1\"}}"
                        .formatted("x".repeat(600_000));

        KubeObject read =
                receive(
                                UpstreamSamples.shaped(new ObjectShape(List.of(), stored)),
                                List.of(object),
                                new Random(2))
                        .getFirst();

        assertThat(MAPPER.readTree(read.json()).get("data"))
                .hasToString(
                        how.equals("redact")
                                ? "{\"large\":\"redacted\",\"small\":1}"
                                : "{\"small\":1}");
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

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {21, 22, 23, 24, 25, 26, 27, 28})
    void object_without_dropped_fields_is_stored_unchanged_except_for_line_breaks(long seed) {
        RandomObjects objects = new RandomObjects(new Random(seed));
        List<String> sent = objects.severalWithoutType(OBJECTS);

        List<KubeObject> received = receive(UpstreamSamples.pods(), sent, new Random(seed));

        List<String> stored = received.stream().map(o -> UpstreamSamples.text(o.json())).toList();
        List<String> onOneLine = sent.stream().map(UpstreamSamples::onOneLine).toList();
        assertThat(stored).as("seed %d", seed).isEqualTo(onOneLine);
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

    private static List<KubeObject> receive(
            ResourceCollection collection, List<String> objects, Random random) {
        String list =
                "{\"metadata\":{\"resourceVersion\":\"9\"},\"kind\":\"PodList\",\"items\":["
                        + String.join(random.nextBoolean() ? "," : " ,\n", objects)
                        + "]}";
        InputStream body = new PiecemealInputStream(UpstreamSamples.stream(list), random);
        List<KubeObject> received = new ArrayList<>();
        Result<ListMeta> outcome =
                new ListReader(collection, body, 1 << 20, MemoryBudget.unlimited(), received::add)
                        .read();
        assertThat(outcome).isInstanceOf(Result.Success.class);
        return received;
    }
}
