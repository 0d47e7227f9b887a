package io.kubemirror.kube;

import static io.kubemirror.kube.UpstreamSamples.metadataOf;
import static io.kubemirror.kube.UpstreamSamples.onOneLine;
import static io.kubemirror.kube.UpstreamSamples.pods;
import static io.kubemirror.kube.UpstreamSamples.stream;
import static io.kubemirror.kube.UpstreamSamples.text;
import static io.kubemirror.kube.UpstreamSamples.utf8;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FrameReaderTest {

    private static final String POD =
            "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"web\",\"namespace\":\"shop\",\"uid\":\"u\",\"resourceVersion\":\"7\"}}";
    private static final String STORED =
            "{\"metadata\":{\"name\":\"web\",\"namespace\":\"shop\",\"uid\":\"u\",\"resourceVersion\":\"7\"}}";
    private static final String FRAME = "{\"type\":\"ADDED\",\"object\":" + POD + "}";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"ADDED\",\"object\":P}\n",
                "{\"object\":P,\"type\":\"ADDED\"}",
                "{\"x\":[{}],\"object\":P,\"y\":{\"type\":\"DELETED\"},\"type\":\"ADDED\"}",
                "  { \"type\" : \"ADDED\" , \"object\" : P } ",
                "{\"type\":\"ADDED\",\"object\":{\"a\":1},\"object\":P}",
            })
    void frame_members_can_be_in_any_order(String frame) {
        FrameReader reader = reader(frame.replace("P", POD));

        if (reader.next() instanceof WatchFrame.Added(var object, var _, var _)) {
            assertThat(object.key()).isEqualTo(ObjectKey.of("shop", "web"));
            assertThat(text(object.json())).isEqualTo(STORED);
        } else {
            fail("no object");
        }
        assertThat(reader.next()).isEqualTo(new WatchFrame.Ended());
    }

    @ParameterizedTest
    @CsvSource({"'\"2026-03-01T10:00:07Z\"', 2026-03-01T10:00:07Z", "'\"soon\"',", "null,", "7,"})
    void added_frame_carries_the_creation_time(String written, @Nullable Instant created) {
        String dated = "\"metadata\":{\"creationTimestamp\":" + written + ",";
        String pod = POD.replace("\"metadata\":{", dated);
        FrameReader reader = reader("{\"type\":\"ADDED\",\"object\":" + pod + "}");

        assertThat(reader.next())
                .isInstanceOfSatisfying(
                        WatchFrame.Added.class,
                        added -> assertThat(added.created()).isEqualTo(created));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            nullValues = "null",
            value = {
                "[]; null",
                "[{\"manager\":\"a\"}]; null",
                "[{\"time\":\"2026-03-01T10:00:07Z\",\"fieldsV1\":{\"time\":\"2027-01-01T00:00:00Z\"}}];"
                    + " 2026-03-01T10:00:07Z",
                "[{\"time\":\"2026-03-01T10:00:07Z\"},1,[{\"time\":\"2028-01-01T00:00:00Z\"}],"
                        + "{\"f\":[{}],\"time\":\"2026-03-01T10:00:08Z\"},"
                        + "{\"time\":\"2026-02-28T10:00:09Z\"}]; 2026-03-01T10:00:08Z",
                "[{\"time\":7}]; null",
                "{\"time\":\"2026-03-01T10:00:07Z\"}; null",
                "null; null"
            })
    void frame_carries_the_latest_time_of_managed_fields(
            @Nullable String written, @Nullable Instant changed) {
        String managed = "\"metadata\":{\"managedFields\":" + written + ",";
        String pod = POD.replace("\"metadata\":{", managed);
        FrameReader reader =
                reader(
                        "{\"type\":\"ADDED\",\"object\":%s}{\"type\":\"MODIFIED\",\"object\":%s}%s"
                                .formatted(pod, pod, FRAME.replace("ADDED", "MODIFIED")));

        WatchFrame.Added added = (WatchFrame.Added) reader.next();
        assertThat(added.changed()).isEqualTo(changed);
        assertThat(text(added.object().json())).contains("\"managedFields\":");
        assertThat(((WatchFrame.Modified) reader.next()).changed()).isEqualTo(changed);
        assertThat(((WatchFrame.Modified) reader.next()).changed()).isNull();
    }

    @Test
    void metadata_watch_accepts_only_partial_objects_and_status_errors() {
        String partial =
                "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":";
        FrameReader reader =
                reader(
                        FRAME.replace(
                                        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":",
                                        partial)
                                + "{\"type\":\"BOOKMARK\",\"object\":"
                                + partial
                                + "{\"resourceVersion\":\"12\"}}}"
                                + FRAME
                                + "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":410}}",
                        metadataOf(UpstreamSamples.PODS));

        if (reader.next() instanceof WatchFrame.Added(var object, var _, var _)) {
            assertThat(text(object.json())).isEqualTo(STORED);
        } else {
            fail("no object");
        }
        assertThat(reader.next()).isEqualTo(new WatchFrame.Bookmark(new Revision("12"), false));
        assertThat(reader.next()).isInstanceOf(WatchFrame.Foreign.class);
        assertThat(reader.next()).isInstanceOf(WatchFrame.Failed.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | false",
                "{\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}} | true",
                "{\"annotations\":{\"k8s.io/initial-events-end\":\"false\"}} | false",
                "{\"annotations\":{\"x\":\"true\"}} | false",
            })
    void bookmark_carries_its_revision_and_the_end_of_the_initial_events(
            String metadata, boolean end) {
        String merged =
                metadata.replaceFirst("\\{", "{\"resourceVersion\":\"12\",").replace(",}", "}");
        String frame =
                "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"metadata\":" + merged + "}}";

        assertThat(reader(frame).next())
                .isEqualTo(new WatchFrame.Bookmark(new Revision("12"), end));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"ERROR\",\"object\":S}",
                "{\"object\":S,\"type\":\"ERROR\"}",
            })
    void error_event_is_read_as_a_status(String frame) {
        String status =
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"too"
                    + " old resource version: 1 (5)\",\"reason\":\"Expired\",\"code\":410}";

        assertThat(reader(frame.replace("S", status)).next())
                .isEqualTo(
                        new WatchFrame.Failed(
                                new Status(
                                        410, "Expired", "too old resource version: 1 (5)", null)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Table\",\"metadata\":{\"resourceVersion\":\"1\"}}}",
                "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"1\"}}}",
                "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\"}}",
                "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Table\",\"metadata\":{\"resourceVersion\":\"1\"}}}",
            })
    void object_outside_the_collection_is_foreign_and_the_watch_continues(String frame) {
        FrameReader reader = reader(frame + "\n" + FRAME);

        assertThat(reader.next()).isInstanceOf(WatchFrame.Foreign.class);
        assertThat(reader.next()).isInstanceOf(WatchFrame.Added.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"name\":\"n\"}}}",
                "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"metadata\":{}}}",
                "{\"type\":\"RENAMED\",\"object\":{\"kind\":\"Pod\"}}",
                "{\"type\":\"added\",\"object\":{\"kind\":\"Pod\"}}",
                "{\"type\":7,\"object\":{\"kind\":\"Pod\"}}",
                "{\"type\":\"ADDED\",\"object\":null}",
                "{\"type\":\"ADDED\"}",
                "{\"object\":{\"kind\":\"Pod\"}}",
                "{}",
            })
    void unknown_event_type_or_missing_revision_is_untrackable(String frame) {
        assertThat(reader(frame).next()).isInstanceOf(WatchFrame.Untrackable.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<html>proxy error</html>",
                "[]",
                "true",
                "{\"type\":\"ADDED\",\"object\":{\"a\" 1}}",
                "{\"type\":\"ADDED\",\"object\":{\"a\":01}}",
                "{\"type\":\"ADDED\",}",
            })
    void text_other_than_a_json_object_breaks_the_watch_as_malformed(String frame) {
        WatchFrame read = reader(frame + " ".repeat(10_000)).next();

        assertThat(read).isInstanceOf(WatchFrame.Untrackable.class);
        assertThat(read.toString()).doesNotContain("proxy error");
    }

    @Test
    void watch_cut_anywhere_within_a_frame_is_broken_and_returns_no_object() {
        byte[] frame = utf8(FRAME.replace("\"u\"", "\"é😀\""));
        for (int length = 1; length < frame.length; length++) {
            InputStream body = new ByteArrayInputStream(Arrays.copyOf(frame, length));

            WatchFrame read = reader(body).next();

            assertThat(read)
                    .as("after %d bytes", length)
                    .isEqualTo(new WatchFrame.Broken("the response is incomplete", BrokenKind.CUT));
        }
    }

    @Test
    void watch_with_a_reset_connection_is_broken_even_between_frames() {
        InputStream body = UpstreamSamples.breaking(FRAME + "\n", new IOException("reset"));
        FrameReader reader = reader(body);

        assertThat(reader.next()).isInstanceOf(WatchFrame.Added.class);
        assertThat(reader.next()).isEqualTo(new WatchFrame.Broken("reset", BrokenKind.CUT));
    }

    @Test
    void frame_is_returned_before_the_next_byte_is_read() {
        InputStream body =
                UpstreamSamples.breaking(FRAME, new IOException("asked for more than the frame"));

        assertThat(reader(body).next()).isInstanceOf(WatchFrame.Added.class);
    }

    @Test
    void frame_over_the_size_limit_breaks_the_watch() {
        String large = FRAME.replace("\"u\"", "\"" + "u".repeat(100_000) + "\"");
        InputStream body = stream(FRAME + large);
        FrameReader reader = new FrameReader(pods(), body, 50_000, MemoryBudget.unlimited());

        assertThat(reader.next()).isInstanceOf(WatchFrame.Added.class);
        assertThat(reader.next())
                .isEqualTo(new WatchFrame.Untrackable("an object is larger than 50000 bytes"));
    }

    /** The limit is that of objects: a name in managedFields is as long as an object may be. */
    @ParameterizedTest
    @ValueSource(ints = {60_000, 1_500_000})
    void long_names_of_members_are_read(int length) {
        String name = "\"k:{" + "u".repeat(length) + "}\":{},";
        FrameReader reader = reader(FRAME.replace("\"uid\":", name + "\"uid\":") + FRAME);

        assertThat(((WatchFrame.Added) reader.next()).object().json()).hasSizeGreaterThan(length);
        assertThat(reader.next()).isInstanceOf(WatchFrame.Added.class);
    }

    @ParameterizedTest
    @CsvSource({"'\"u\"', String value length", "'\"uid\"', Name length"})
    void text_larger_than_any_object_is_named_in_the_problem(String replaced, String problem) {
        String text = "\"" + "u".repeat(3_000_000) + "\"";

        assertThat(reader(FRAME.replace(replaced, text)).next())
                .isInstanceOfSatisfying(
                        WatchFrame.Untrackable.class,
                        end ->
                                assertThat(end.reason())
                                        .startsWith(problem + " (")
                                        .endsWith(") exceeds the maximum allowed (2097152)"));
    }

    /** As in the body of a failed response: nobody reads a tree of megabytes. */
    @Test
    void error_larger_than_any_status_is_not_parsed() {
        String causes = "{\"reason\":\"a\"},".repeat(10_000);
        String status =
                "{\"kind\":\"Status\",\"code\":410,\"details\":{\"causes\":[" + causes + "{}]}}";

        assertThat(reader("{\"type\":\"ERROR\",\"object\":" + status + "}").next())
                .isEqualTo(
                        new WatchFrame.Failed(
                                new Status(
                                        500,
                                        "InternalError",
                                        "the server returned an error without a Status",
                                        null)));
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void frames_split_into_random_chunks_lose_no_byte(long seed) {
        Random random = new Random(seed);
        List<String> objects = new RandomObjects(random).severalWithoutType(50);
        StringBuilder stream = new StringBuilder();
        for (String object : objects) {
            stream.append(
                    random.nextBoolean()
                            ? "{\"type\":\"MODIFIED\",\"object\":" + object + "}\n"
                            : "{\"object\":" + object + ",\"type\":\"MODIFIED\"}");
        }
        InputStream body =
                UpstreamSamples.piecemeal(
                        stream.toString(), random, random.nextBoolean() ? 3 : 10_000);
        FrameReader reader = reader(body);

        for (String object : objects) {
            KubeObject read = ((WatchFrame.Modified) reader.next()).object();
            assertThat(text(read.json())).as("seed %d", seed).isEqualTo(onOneLine(object));
        }
        assertThat(reader.next()).as("seed %d", seed).isEqualTo(new WatchFrame.Ended());
    }

    private static FrameReader reader(String stream) {
        return reader(stream, pods());
    }

    private static FrameReader reader(InputStream body) {
        return new FrameReader(pods(), body, 1 << 20, MemoryBudget.unlimited());
    }

    private static FrameReader reader(String stream, ResourceCollection collection) {
        return new FrameReader(collection, stream(stream), 64 << 20, MemoryBudget.unlimited());
    }
}
