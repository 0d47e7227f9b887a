package io.kubemirror.kube;

import static io.kubemirror.kube.UpstreamSamples.metadataOf;
import static io.kubemirror.kube.UpstreamSamples.plain;
import static io.kubemirror.kube.UpstreamSamples.pods;
import static io.kubemirror.kube.UpstreamSamples.stream;
import static io.kubemirror.kube.UpstreamSamples.text;
import static io.kubemirror.kube.UpstreamSamples.utf8;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.testing.Results;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ListReaderTest {

    private static final String ITEM =
            "{\"metadata\":{\"name\":\"web\",\"namespace\":\"shop\",\"uid\":\"u\",\"resourceVersion\":\"7\"}}";
    private static final String LIST =
            "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"9\","
                    + "\"continue\":\"abc\",\"remainingItemCount\":3},\"items\":["
                    + ITEM
                    + ","
                    + ITEM.replace("web", "db")
                    + "]}\n";

    private final List<KubeObject> objects = new ArrayList<>();

    @Test
    void page_has_items_revision_and_continue_token() {
        assertThat(read(LIST)).isEqualTo(Result.of(new ListMeta(new Revision("9"), "abc")));
        assertThat(objects)
                .extracting(KubeObject::key)
                .containsExactly(ObjectKey.of("shop", "web"), ObjectKey.of("shop", "db"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"apiVersion\":\"v1\",\"items\":[I],\"kind\":\"PodList\",\"metadata\":{\"continue\":\"\",\"resourceVersion\":\"9\"}}",
                "{\"metadata\":{\"selfLink\":\"x\",\"resourceVersion\":\"9\"},\"extra\":{\"a\":[1]},\"items\":[I],\"kind\":\"PodList\"}",
                " {\"items\" : [ I ] , \"kind\":\"PodList\","
                        + " \"metadata\":{\"resourceVersion\":\"9\"}} \n",
                "{\"metadata\":{},\"kind\":\"PodList\",\"items\":[I],\"metadata\":{\"resourceVersion\":\"9\"}}",
            })
    void list_members_can_be_in_any_order(String list) {
        assertThat(read(list.replace("I", ITEM))).isEqualTo(lastPage());
        assertThat(objects).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "null"})
    void list_can_be_empty(String items) {
        String list =
                "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":"
                        + items
                        + "}";

        assertThat(read(list)).isEqualTo(lastPage());
        assertThat(objects).isEmpty();
    }

    @Test
    void items_are_delivered_before_the_list_ends() {
        int end = LIST.indexOf(ITEM) + ITEM.length();
        InputStream body =
                new InputStream() {
                    private int position;

                    @Override
                    public int read() {
                        if (position == end + 1) {
                            assertThat(objects).hasSize(1);
                        }
                        return position < LIST.length() ? LIST.charAt(position++) : -1;
                    }

                    @Override
                    public int read(byte[] bytes, int offset, int count) {
                        int next = read();
                        bytes[offset] = (byte) next;
                        return next < 0 ? -1 : 1;
                    }
                };

        assertThat(read(body, 1 << 20)).isInstanceOf(Result.Success.class);
        assertThat(objects).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"metadata\":{}",
                "\"metadata\":{\"resourceVersion\":\"\"}",
                "\"metadata\":{\"resourceVersion\":\"0\"}",
                "\"metadata\":{\"resourceVersion\":\"x9\"}",
                "\"metadata\":{\"resourceVersion\":9}",
                "\"metadata\":null",
                "\"metadata\":[1]",
                "\"other\":1",
            })
    void list_without_a_revision_is_malformed(String metadata) {
        assertThat(read("{\"kind\":\"PodList\"," + metadata + ",\"items\":[]}"))
                .isEqualTo(malformed("the list has no resource version and cannot be watched"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"kind\":\"Status\",\"status\":\"Success\",\"metadata\":{}}",
                "{\"kind\":\"Table\",\"metadata\":{\"resourceVersion\":\"9\"},\"rows\":[]}",
                "{\"kind\":\"NodeList\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}",
                "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}",
                "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"}}",
                "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":{}}",
            })
    void response_of_another_kind_is_malformed(String body) {
        assertThat(read(body)).isEqualTo(malformed("the response is not a list of Pod"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<html><body>Please log in</body></html>",
                "[]",
                "\"text\"",
                "{\"kind\":\"PodList\"]",
                "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]} x {}",
                "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}{}",
                "{\"kind\":\"PodList\",\"items\":[7]}",
                "{\"kind\":\"PodList\",\"items\":[{}]}",
                "{\"kind\":\"PodList\",\"items\":[{\"metadata\":{\"name\":\"secret\"}}]}",
                "{\"kind\":\"PodList\",\"items\":[{\"kind\":\"Node\",\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"1\"}}]}",
            })
    void invalid_list_is_malformed_and_not_quoted_in_the_error(String body) {
        Failure outcome = Results.failure(read(body));

        assertThat(outcome).isInstanceOf(Failure.Malformed.class);
        assertThat(outcome.summary()).doesNotContain("log in", "secret");
    }

    @Test
    void list_in_an_encoding_other_than_utf8_is_malformed() {
        byte[] utf16 = LIST.getBytes(StandardCharsets.UTF_16LE);

        assertThat(Results.failure(read(new ByteArrayInputStream(utf16), 1 << 20)))
                .isInstanceOf(Failure.Malformed.class);
    }

    @Test
    void custom_resource_list_can_have_any_kind() {
        String list =
                "{\"apiVersion\":\"example.com/v1\",\"items\":[{\"apiVersion\":\"example.com/v1\","
                    + "\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\",\"resourceVersion\":\"5\"}}],"
                    + "\"kind\":\"WidgetCollection\",\"metadata\":{\"continue\":\"\",\"resourceVersion\":\"9\"}}";
        ListReader reader =
                new ListReader(
                        plain(UpstreamSamples.WIDGETS),
                        stream(list),
                        1000,
                        MemoryBudget.unlimited(),
                        objects::add);

        assertThat(Results.value(reader.read()).kind()).isEqualTo("WidgetCollection");
        assertThat(text(objects.getFirst().json()))
                .isEqualTo("{\"metadata\":{\"name\":\"w\",\"resourceVersion\":\"5\"}}");
    }

    @Test
    void metadata_list_is_stored_as_metadata() {
        String list =
                "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\","
                        + "\"metadata\":{\"resourceVersion\":\"9\"},\"items\":["
                        + ITEM.replaceFirst(
                                "\\{",
                                "{\"kind\":\"PartialObjectMetadata\","
                                        + "\"apiVersion\":\"meta.k8s.io/v1\",")
                        + "]}";

        assertThat(read(list, metadataOf(UpstreamSamples.WIDGETS))).isEqualTo(lastPage());
        assertThat(text(objects.getFirst().json())).isEqualTo(ITEM);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PodList", "WidgetList", "PartialObjectMetadata"})
    void metadata_list_with_another_kind_is_malformed(String kind) {
        String list = LIST.replace("PodList", kind);

        assertThat(read(list, metadataOf(UpstreamSamples.WIDGETS)))
                .isEqualTo(malformed("the response is not a list of PartialObjectMetadata"));
    }

    @Test
    void list_cut_anywhere_fails_without_a_partial_object() {
        byte[] whole = utf8(LIST.stripTrailing());
        for (int length = 0; length < whole.length; length++) {
            objects.clear();
            InputStream body = new ByteArrayInputStream(Arrays.copyOf(whole, length));

            assertThat(read(body, 1 << 20))
                    .as("after %d bytes", length)
                    .isInstanceOf(Result.Failed.class);
            assertThat(objects)
                    .as("after %d bytes", length)
                    .allSatisfy(
                            o ->
                                    assertThat(text(o.json()))
                                            .hasSameSizeAs(
                                                    o.key().name().equals("web")
                                                            ? ITEM
                                                            : ITEM.replace("web", "db")));
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 3", "1, 2500", "1000000, 400", "1000000, 2500"})
    void long_list_is_read_correctly_in_chunks_of_any_size(int piece, int bulk) {
        List<String> items =
                IntStream.range(0, 4_000_000 / (ITEM.length() + bulk))
                        .mapToObj(i -> item(i, bulk + i % 7))
                        .toList();
        String list =
                LIST.substring(0, LIST.indexOf(ITEM))
                        + String.join(" , ", items)
                        + " ] , \"extra\" : { } }";
        InputStream body = UpstreamSamples.piecemeal(list, new Random(piece), piece);

        assertThat(read(body, 1 << 20))
                .isEqualTo(Result.of(new ListMeta(new Revision("9"), "abc")));
        assertThat(objects.stream().map(object -> text(object.json())).toList()).isEqualTo(items);
    }

    private static String item(int number, int bulk) {
        String more = "\"a%d\":\"%s\",\"name\"".formatted(number, "x".repeat(bulk));
        return ITEM.replace("web", "web" + number).replace("\"name\"", more);
    }

    private static Result<ListMeta> malformed(String problem) {
        return Result.failed(new Failure.Malformed(problem));
    }

    private static Result<ListMeta> lastPage() {
        return Result.of(new ListMeta(new Revision("9"), null));
    }

    private Result<ListMeta> read(String body) {
        return read(stream(body), 1 << 20);
    }

    private Result<ListMeta> read(String body, ResourceCollection collection) {
        return new ListReader(
                        collection, stream(body), 1 << 20, MemoryBudget.unlimited(), objects::add)
                .read();
    }

    private Result<ListMeta> read(InputStream body, int limit) {
        return new ListReader(pods(), body, limit, MemoryBudget.unlimited(), objects::add).read();
    }
}
