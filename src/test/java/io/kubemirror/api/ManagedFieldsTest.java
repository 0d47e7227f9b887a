package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.encode.ObjectEncoder;
import io.kubemirror.api.encode.SharedBodies;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Representation;
import io.kubemirror.api.http.Representation.Accept;
import io.kubemirror.api.http.Representation.Accept.MediaRange;
import io.kubemirror.api.http.Representation.SupportedMediaTypes;
import io.kubemirror.kube.json.DocumentReader;
import io.kubemirror.kube.json.ObjectReader.ReadResult;
import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.Selection;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.RestClient;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Clients may do without {@code metadata.managedFields} (list-watch.md#ne-34, KEP-5958). */
class ManagedFieldsTest {

    private static final String LIST = "/api/v1/pods";
    private static final String WATCH = LIST + "?watch=1&resourceVersion=9";
    private static final String DROP = ";drop=metadata.managedFields";
    private static final String JSON = "application/json";
    private static final String METADATA =
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    private static final String TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1";

    @AutoClose private final ApiFixture served = ApiFixture.of("pods");
    private final RestClient client = served.client();

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void objects_are_the_same_without_managed_fields_in_every_form(long seed) {
        Random random = new Random(seed);
        fill(pod("x", 5, random), pod("y", 6, random), pod("z", 7, random));

        for (String form : List.of(JSON, METADATA, TABLE)) {
            for (String target : List.of(LIST, LIST + "?limit=2", LIST + "?includeObject=Object")) {
                JsonNode without = json(target, form + DROP);
                JsonNode all = json(target, form);
                assertThat(all.toString()).as("seed %d", seed).contains("managedFields");
                assertThat(without).as("seed %d", seed).isEqualTo(stripped(all));
            }
        }
        String one = "/api/v1/namespaces/a/pods/y";
        assertThat(json(one, JSON + DROP)).as("seed %d", seed).isEqualTo(stripped(json(one, JSON)));
        try (WatchClient all = served.watch(WATCH, "Accept", JSON);
                WatchClient without = served.watch(WATCH, "Accept", JSON + DROP)) {
            served.writer().upsert(pod("x", 10, random));
            ApiSamples.delete(served.writer(), "a", "y", 11);
            for (int i = 0; i < 2; i++) {
                assertThat(JsonTrees.parse(without.next()))
                        .as("seed %d", seed)
                        .isEqualTo(stripped(JsonTrees.parse(all.next())));
            }
        }
    }

    /** One copy of a frame serves all watches, however they name the fields. */
    @Test
    void frame_without_managed_fields_is_encoded_once() throws Exception {
        fill(pod("x", 5, new Random(7)));
        Cursor before = served.writer().mirror().position().orElseThrow().cursor();
        served.writer().upsert(pod("x", 10, new Random(8)));
        Reading.Progress read = (Reading.Progress) served.writer().mirror().read(before);
        LoggedChange logged = read.changes().getFirst();

        byte[] whole = frame(logged, JSON);
        byte[] first = frame(logged, JSON + DROP);
        assertThat(frame(logged, JSON + ";drop=spec+metadata.managedFields")).isSameAs(first);
        assertThat(frame(logged, "*/*" + DROP)).isSameAs(first);
        assertThat(frame(logged, JSON)).isEqualTo(whole).isNotEqualTo(first);
    }

    private static byte[] frame(LoggedChange logged, String accept) throws Rejection {
        Representation chosen =
                Representation.choose(
                        new Accept(List.of(MediaRange.parse(accept))),
                        SupportedMediaTypes.WATCH,
                        List.of(),
                        true);
        ObjectEncoder objects = new ObjectEncoder.TypeMeta(ApiSamples.PODS);
        return new FrameEncoder(
                        chosen.dropsManagedFields()
                                ? new ObjectEncoder.WithoutManagedFields(objects)
                                : objects,
                        chosen,
                        new SharedBodies(ClientMemory.of(MemoryBudget.unlimited())))
                .change(logged, logged.change());
    }

    private void fill(KubeObject... pods) {
        served.writer().identify(ApiSamples.PODS, DeclaredFields.NONE);
        ApiSamples.synchronize(served.writer(), 9, pods);
    }

    private JsonNode json(String target, String accept) {
        return JsonTrees.parse(client.get(target, "Accept", accept).body());
    }

    private static JsonNode stripped(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.remove("managedFields");
        }
        node.forEach(ManagedFieldsTest::stripped);
        return node;
    }

    /** A pod whose members are in random order, with blanks and braces in unusual places. */
    private static KubeObject pod(String name, long revision, Random random) {
        List<String> metadata =
                new ArrayList<>(
                        List.of(
                                "\"name\":\"" + name + "\"",
                                "\"namespace\":\"a\"",
                                "\"annotations\":{\"note\":\"managedFields\\\"]},\"}",
                                "\"managedFields\"%s:%s[{\"fieldsV1\":{\"k:{\\\"a\\\"}\":{}}},[\"]\"]]"
                                        .formatted(blank(random), blank(random))));
        Collections.shuffle(metadata, random);
        String json =
                "{\"metadata\":{"
                        + String.join(blank(random) + "," + blank(random), metadata)
                        + "},\"spec\":{\"nodeName\":\"n\"}}";
        ResourceCollection pods =
                new ResourceCollection(
                        ApiSamples.PODS, Selection.everything(), ObjectShape.plain());
        ReadResult read =
                new DocumentReader(pods).read(json.getBytes(UTF_8), KubeObjects.revision(revision));
        return ((ReadResult.Whole) read).object();
    }

    private static String blank(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> " ";
            case 1 -> "\t ";
            default -> "";
        };
    }
}
