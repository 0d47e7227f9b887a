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
