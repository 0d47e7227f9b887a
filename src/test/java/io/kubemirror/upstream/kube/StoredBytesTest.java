package io.kubemirror.upstream.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectShape;
import io.kubemirror.upstream.ListMeta;
import io.kubemirror.upstream.ResourceCollection;
import io.kubemirror.upstream.Result;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Compares the stored bytes of random objects, from streams that arrive in random pieces, with a
 * parsed tree of each object.
 */
class StoredBytesTest {

    private static final JsonMapper MAPPER = JsonMapper.shared();
    private static final int OBJECTS = 60;

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
        ObjectShape shape = new ObjectShape(List.of(), kept, dropped);

        List<KubeObject> received = receive(UpstreamSamples.shaped(shape), sent, new Random(seed));

        assertThat(received).as("seed %d", seed).hasSameSizeAs(sent);
        for (int i = 0; i < sent.size(); i++) {
            ObjectNode whole = (ObjectNode) MAPPER.readTree(sent.get(i));
            ObjectNode expected = MAPPER.createObjectNode();
            shape.remaining().forEach(path -> copy(whole, path.segments(), expected));
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
