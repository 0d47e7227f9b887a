package io.kubemirror.feature.files;

import static io.kubemirror.testing.KubeObjects.selection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import module java.base;

import io.kubemirror.app.health.Finding;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.ListRequest.RevisionMatch;
import io.kubemirror.source.Source.TypeLookup;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.source.WatchStream;
import io.kubemirror.testing.Results;
import io.kubemirror.testing.WatchRequests;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class FilesSourceTest {

    private static final String SETTINGS =
            """
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: a, labels: {app: shop}}
            data: {since: 2026-01-01}
            ---
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: b, namespace: shop}
            """;

    @TempDir private Path directory;

    private final List<KubeObject> objects = new ArrayList<>();

    private void write(String file, String text) throws IOException {
        Files.writeString(directory.resolve(file), text);
    }

    private FilesSource source() {
        return source(directory);
    }

    private FilesSource source(Path directory) {
        return new FilesSource(
                directory,
                4 << 20,
                MemoryBudget.unlimited(),
                InstantSource.fixed(Instant.ofEpochMilli(1_000)));
    }

    private static ResourceCollection configMaps(FilesSource source, Selection selection) {
        TypeLookup.Found found =
                (TypeLookup.Found) Results.value(source.resolve(new ResourceName("configmaps")));
        return new ResourceCollection(found.type(), selection, ObjectShape.plain());
    }

    private ListMeta list(FilesSource source, Selection selection) {
        objects.clear();
        return Results.value(
                source.list(
                        new ListRequest(configMaps(source, selection), null, 0, null),
                        objects::add));
    }

    private static WatchRequest after(ResourceCollection collection, Revision revision) {
        Duration minute = Duration.ofMinutes(1);
        return WatchRequests.withBookmarks(collection, revision, false, minute, minute, minute);
    }

    private static String json(KubeObject object) {
        return new String(object.json(), StandardCharsets.UTF_8);
    }

    @Test
    void documents_of_a_file_are_listed_with_revisions_of_their_own() throws Exception {
        write("all.yaml", SETTINGS);
        ListMeta meta = list(source(), Selection.everything());

        assertThat(objects)
                .extracting(KubeObject::toString)
                .containsExactly("default/a@1002", "shop/b@1003");
        assertThat(meta.revision()).isEqualTo(new Revision("1003"));
        assertThat(json(objects.getFirst()))
                .contains("\"since\":\"2026-01-01\"", "\"resourceVersion\":\"1002\"");
        assertThat(objects.getFirst().uid()).isNotEmpty();
    }

    /** As a volume of Kubernetes has them, below a directory that is a link itself. */
    @Test
    void linked_directories_are_read_and_hidden_ones_are_not() throws Exception {
        Path volume = directory.resolve("real/sub");
        Files.createDirectories(volume.resolve("..2026_01"));
        write("real/sub/..2026_01/all.yaml", SETTINGS);
        Files.createSymbolicLink(volume.resolve("..data"), Path.of("..2026_01"));
        Files.createSymbolicLink(volume.resolve("all.yaml"), Path.of("..data/all.yaml"));
        Files.createSymbolicLink(directory.resolve("linked"), Path.of("real"));

        list(source(directory.resolve("linked")), Selection.everything());
        assertThat(objects).hasSize(2);

        write("real/sub/..2026_01/stale.yaml", SETTINGS.replace("name: a", "name: stale"));
        list(source(directory.resolve("real")), Selection.everything());
        assertThat(objects).extracting(one -> one.key().name()).containsExactly("a", "b");
    }

    @Test
    void selection_is_evaluated() throws Exception {
        write("all.yaml", SETTINGS);
        FilesSource source = source();

        list(source, selection("", "app=shop", ""));
        assertThat(objects).extracting(one -> one.key().path()).containsExactly("default/a");
        list(source, selection("shop", "", ""));
        assertThat(objects).extracting(one -> one.key().path()).containsExactly("shop/b");
        list(source, selection("", "", "metadata.name=b"));
        assertThat(objects).extracting(one -> one.key().path()).containsExactly("shop/b");
    }

    @Test
    void watch_sends_each_change_and_a_bookmark() throws Exception {
        write("all.yaml", SETTINGS);
        FilesSource source = source();
        ListMeta meta = list(source, Selection.everything());
        ResourceCollection collection = configMaps(source, Selection.everything());
        WatchStream watch = Results.value(source.watch(after(collection, meta.revision())));

        write("all.yaml", SETTINGS.replace("2026-01-01", "later").replace("name: b", "name: c"));
        assertThat(List.of(watch.next(), watch.next(), watch.next(), watch.next()))
                .extracting(FilesSourceTest::text)
                .containsExactly(
                        "Deleted shop/b@1004",
                        "Modified default/a@1005",
                        "Modified shop/c@1006",
                        "Bookmark 1006");

        write(
                "more.json",
                "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"}}");
        assertThat(text(watch.next())).isEqualTo("Bookmark 1008");
        watch.close();
        assertThat(watch.next()).isEqualTo(new WatchFrame.Broken("closed", BrokenKind.CUT));
    }

    private static String text(WatchFrame frame) {
        return switch (frame) {
            case WatchFrame.ObjectEvent event ->
                    event.getClass().getSimpleName() + " " + event.object();
            case WatchFrame.Bookmark(var revision, var _) -> "Bookmark " + revision;
            case WatchFrame other -> other.toString();
        };
    }

    @Test
    void object_that_leaves_the_selection_is_deleted() throws Exception {
        write("all.yaml", SETTINGS);
        FilesSource source = source();
        ResourceCollection shop = configMaps(source, selection("", "app=shop", ""));
        WatchStream watch = Results.value(source.watch(after(shop, new Revision("1003"))));

        write("all.yaml", SETTINGS.replace("app: shop", "app: other"));
        assertThat(text(watch.next())).isEqualTo("Deleted default/a@1005");
    }

    @Test
    void mistake_in_a_file_keeps_all_objects() throws Exception {
        write("all.yaml", SETTINGS);
        FilesSource source = source();
        for (String mistake :
                List.of("a: [", "just text", "kind: ConfigMap", "v: 1\nkind: A", "")) {
            write("more.yaml", mistake);
            assertThat(list(source, Selection.everything()).revision())
                    .isEqualTo(new Revision("1003"));
            assertThat(objects).hasSize(2);
        }
    }

    @Test
    void mistake_in_a_file_is_logged_once_with_its_place(CapturedOutput output) throws Exception {
        write("all.yaml", SETTINGS);
        FilesSource source = source();
        write("more.yaml", "a: hush-hush\nb: ]");

        list(source, Selection.everything());
        list(source, Selection.everything());

        assertThat(output.getOut().lines().filter(line -> line.contains("more.yaml")))
                .singleElement(STRING)
                .endsWith(
                        directory.resolve("more.yaml")
                                + ", line 2: is neither YAML nor JSON; correct it, until then all"
                                + " objects stay as they are");
        assertThat(output).doesNotContain("hush-hush", "\tat ");
    }

    @ParameterizedTest
    @CsvSource({
        "latin, 'an object has no apiVersion, kind, or plain name'",
        "deep, 'is no YAML or JSON within the limits: 3 Mi characters, 50 levels, 50 aliases'",
        "long, 'is no YAML or JSON within the limits: 3 Mi characters, 50 levels, 50 aliases'",
        "gone, cannot read",
        "empty, 'it is empty'",
        "large, 'the files have more than 4194304 bytes'",
    })
    void mistake_of_a_file_as_a_whole_is_a_finding_and_refused_at_the_start(
            String mistake, String problem) throws Exception {
        FilesSource source = source();
        Path file = directory.resolve("more.yaml");
        switch (mistake) {
            case "empty" -> Files.createFile(file);
            case "large" -> Files.write(file, new byte[(4 << 20) + 1]);
            case "latin" -> Files.write(file, new byte[] {(byte) 0xe4});
            case "deep" -> Files.writeString(file, "[".repeat(60) + "]".repeat(60));
            case "long" -> Files.writeString(file, "- x\n".repeat(800_000));
            default -> Files.createSymbolicLink(file, Path.of("nowhere"));
        }
        source.types();
        Throwable refusal = catchThrowable(this::source);

        assertThat(source.findings())
                .singleElement()
                .extracting(Finding::text, STRING)
                .contains(file.toString(), problem, ";");
        assertThat(refusal)
                .hasMessageContaining("kubemirror.upstream.files.directory")
                .hasMessageContaining(source.findings().getFirst().text());
    }

    /** A file is no continuation of the one before it, and a directory is no file. */
    @Test
    void files_that_are_right_alone_are_right_together() throws Exception {
        String marked = "\ufeff" + SETTINGS;
        String directed = "%YAML 1.2\n---\n" + SETTINGS.replace("name: ", "name: d");
        Files.createDirectory(directory.resolve("directory.yaml"));
        write("a.yaml", SETTINGS.replace("name: ", "name: c"));
        write("b.yaml", marked);
        write("c.yaml", directed);

        list(source(), Selection.everything());
        assertThat(objects)
                .extracting(one -> one.key().name())
                .containsExactly("ca", "cb", "a", "b", "da", "db");
    }

    @Test
    void revision_that_is_not_known_is_refused() throws Exception {
        write("all.yaml", SETTINGS);
        FilesSource source = source();
        ResourceCollection collection = configMaps(source, Selection.everything());

        assertThat(code(source.watch(after(collection, new Revision("1002"))))).isEqualTo(410);
        assertThat(code(list(source, collection, "1002", RevisionMatch.EXACT))).isEqualTo(410);
        assertThat(code(list(source, collection, "1004", RevisionMatch.NOT_OLDER_THAN)))
                .isEqualTo(504);
        assertThat(code(list(source, collection, "1003", RevisionMatch.EXACT))).isZero();
    }

    private Result<ListMeta> list(
            FilesSource source, ResourceCollection collection, String at, RevisionMatch match) {
        return source.list(
                new ListRequest(collection, new Revision(at), match, 0, null), objects::add);
    }

    private static int code(Result<?> result) {
        return result instanceof Result.Failed(Failure.Refused refused)
                ? refused.status().code()
                : 0;
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/io/kubemirror/feature/files/types.csv", quoteCharacter = '\'')
    void type_follows_from_kind_and_namespace(
            String apiVersion, String kind, String namespace, String plural, boolean namespaced)
            throws Exception {
        write(
                "one.yml",
                "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: %s, kind: %s, metadata: {name: x, namespace: '%s'}}\n"
                        .formatted(apiVersion, kind, namespace));
        List<TypeLookup.Found> types = Results.value(source().types());

        assertThat(types).singleElement().extracting(one -> one.type().plural()).isEqualTo(plural);
        assertThat(types.getFirst().type().namespaced()).isEqualTo(namespaced);
        assertThat(types.getFirst().type().apiVersion()).isEqualTo(apiVersion);
    }

    /** A mirror that takes an object may wait for memory, and end the readers of others. */
    @Test
    void nobody_waits_for_who_takes_the_objects_of_a_list() throws Exception {
        write("a.yaml", SETTINGS);
        FilesSource source = source();
        List<Revision> others = new ArrayList<>();
        ListRequest request =
                new ListRequest(configMaps(source, Selection.everything()), null, 0, null);

        Results.value(
                source.list(
                        request,
                        _ ->
                                others.add(
                                        CompletableFuture.supplyAsync(
                                                        () -> source.list(request, _ -> {}),
                                                        task -> new Thread(task).start())
                                                .thenApply(Results::value)
                                                .thenApply(ListMeta::revision)
                                                .completeOnTimeout(
                                                        Revision.ZERO, 10, TimeUnit.SECONDS)
                                                .join())));

        assertThat(others).hasSize(2).doesNotContain(Revision.ZERO);
    }
}
