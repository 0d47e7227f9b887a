package io.kubemirror.kube;

import static io.kubemirror.kube.UpstreamSamples.pods;
import static io.kubemirror.kube.UpstreamSamples.stream;
import static io.kubemirror.kube.UpstreamSamples.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListMeta;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Compares the stored bytes of random objects, from streams that arrive in random pieces, with what
 * was sent.
 */
class StoredBytesTest {

    private static final int OBJECTS = 60;

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {21, 22, 23, 24, 25, 26, 27, 28})
    void object_without_dropped_fields_is_stored_unchanged_except_for_line_breaks(long seed) {
        RandomObjects objects = new RandomObjects(new Random(seed));
        List<String> sent = objects.severalWithoutType(OBJECTS);

        List<KubeObject> received = receive(pods(), sent, new Random(seed));

        List<String> stored = received.stream().map(o -> text(o.json())).toList();
        List<String> onOneLine = sent.stream().map(UpstreamSamples::onOneLine).toList();
        assertThat(stored).as("seed %d", seed).isEqualTo(onOneLine);
    }

    private static List<KubeObject> receive(
            ResourceCollection collection, List<String> objects, Random random) {
        String list =
                "{\"metadata\":{\"resourceVersion\":\"9\"},\"kind\":\"PodList\",\"items\":["
                        + String.join(random.nextBoolean() ? "," : " ,\n", objects)
                        + "]}";
        InputStream body = new PiecemealInputStream(stream(list), random);
        List<KubeObject> received = new ArrayList<>();
        Result<ListMeta> outcome =
                new ListReader(collection, body, 1 << 20, MemoryBudget.unlimited(), received::add)
                        .read();
        assertThat(outcome).isInstanceOf(Result.Success.class);
        return received;
    }
}
