package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.selection;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.FieldSelectorParser;
import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.mirror.Indexes.Dimension;
import io.kubemirror.mirror.Indexes.IndexUsage;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An index finds the objects that a list selects, and no others, without a scan of the collection.
 */
class IndexTest {

    private static final List<String> NAMESPACES = List.of("", "a", "a-b", "none");
    private static final List<String> LABELS =
            List.of(
                    "",
                    "app=v",
                    "app=w",
                    "tier=x,app=v",
                    "app=none",
                    "app!=v",
                    "app in (v,w)",
                    "app in (w,none),tier=x",
                    "app in (v),!tier",
                    "tier,app notin (w)",
                    "!app");
    private static final List<String> FIELDS =
            List.of("", "spec.nodeName=n", "spec.nodeName=", "spec.nodeName!=n");
    private static final List<String> FROM = List.of("", "a/1", "a/1\0", "b");

    @Test
    void selection_returns_exactly_the_matching_objects_after_random_changes() throws Rejection {
        for (long seed = 0; seed < 200; seed++) {
            RandomGenerator random = new SplittableRandom(seed);
            Snapshot state = Snapshot.empty(new Revision("1"));
            for (int i = 2; i < 200; i++) {
                state = changed(state, i, random);
                if (random.nextInt(3) == 0) {
                    verify(state, random, seed);
                }
            }
        }
    }

    private static Snapshot changed(Snapshot state, int revision, RandomGenerator random) {
        String path = any(List.of("a/", "a-b/", "b/"), random) + random.nextInt(4);
        Revision at = new Revision(Integer.toString(revision));
        return switch (random.nextInt(8)) {
            case 0 -> {
                KubeObject known = state.find(new ObjectKey(path));
                yield known == null ? state : state.after(new Change.Deleted(at, known));
            }
            case 1 -> state.at(at);
            default -> state.after(new Change.Added(at, object(path, revision, random)));
        };
    }

    private static void verify(Snapshot state, RandomGenerator random, long seed) throws Rejection {
        Selection selection =
                new Selection(
                        any(NAMESPACES, random),
                        LabelSelectorParser.parse(any(LABELS, random)),
                        FieldSelectorParser.parse(any(FIELDS, random)));
        String from = any(FROM, random);
        List<KubeObject> found = new ArrayList<>();
        state.select(selection, from).forEach(found::add);
        assertThat(found)
                .as("seed %d: %s from '%s'", seed, selection, from)
                .isEqualTo(matching(state, selection, from));
        Selection all = selection(selection.namespace(), "", "");
        assertThat(state.count(all.namespace(), from))
                .as("seed %d: %s from '%s'", seed, all, from)
                .isEqualTo(matching(state, all, from).size());
    }

    private static List<KubeObject> matching(Snapshot state, Selection selection, String from) {
        return state.objects().stream()
                .filter(selection::matches)
                .filter(object -> object.key().path().compareTo(from) >= 0)
                .toList();
    }

    @Test
    void repeated_selection_uses_an_index_instead_of_a_full_scan() {
        Mirror mirror = mirror(1_000);
        Selection selection = selection("", "pod=7", "");

        assertThat(candidates(mirror, selection)).isEqualTo(1_010);
        assertThat(candidates(mirror, selection)).isOne();
    }

    /** What is used, the selection, and how many objects are looked at for it. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    by several values: the rarest one | '' | app=common,pod=7 | spec.nodeName=n1 | 1
                    a field rather than a common label | '' | app=common | spec.nodeName=n1,status.phase=Running | 100
                    the namespace rather than a common label | b | app=common | '' | 10
                    """)
    void list_uses_the_rarest_index(
            String what, String namespace, String labels, String fields, int candidates) {
        Mirror mirror = mirror(1_000);
        Selection selection = selection(namespace, labels, fields);

        ask(mirror, selection);

        assertThat(candidates(mirror, selection)).isEqualTo(candidates);
    }

    @Test
    void existing_index_serves_a_list_whose_rarest_value_has_none() {
        Mirror mirror = mirror(1_000);
        ask(mirror, selection("", "", "spec.nodeName=n1"));

        assertThat(candidates(mirror, selection("", "pod=7", "spec.nodeName=n1"))).isEqualTo(100);
    }

    /**
     * A mirror of objects in namespace {@code a}, one for each value of the label {@code pod} and
     * 100 for each node, and of ten objects in namespace {@code b}.
     */
    private static Mirror mirror(int objects) {
        Mirror mirror = Mirrors.pods(new Window(4, 8, Duration.ofSeconds(75), 1 << 20));
        Resync resync = Mirrors.writer(mirror, () -> 0).resync();
        for (int i = 0; i < objects; i++) {
            resync.add(
                    KubeObjects.object("a/" + i, i)
                            .with(
                                    Map.of("app", "common", "pod", Integer.toString(i)),
                                    Map.of(
                                            "spec.nodeName",
                                            "n" + i / 100,
                                            "status.phase",
                                            "Running")));
        }
        for (int i = 0; i < Math.min(objects, 10); i++) {
            resync.add(KubeObjects.object("b/" + i, i).with(Map.of("app", "common"), Map.of()));
        }
        if (objects > 0) {
            resync.complete(new Revision("1000"));
        }
        return mirror;
    }

    @Test
    void index_that_lists_use_often_outlives_one_that_they_do_not_use_any_more() {
        IndexUsage usage = new IndexUsage();
        Dimension often = new Dimension(true, "app");
        Dimension seldom = new Dimension(false, "spec.nodeName");
        count(usage, often, 4);
        count(usage, seldom, 2);

        assertThat(usage.worthwhile(true)).containsExactly(often);
        assertThat(usage.count(seldom)).as("remembered with half of its count").isTrue();
        usage.worthwhile(true);
        usage.worthwhile(true);
        assertThat(usage.worthwhile(true)).isEmpty();
    }

    @Test
    void counts_are_halved_after_some_thousand_changes() {
        Mirror mirror = Mirrors.pods(new Window(4, 8, Duration.ofSeconds(75), 1 << 20));
        MirrorWriter writer = Mirrors.writer(mirror, () -> 0);
        writer.resync().complete(new Revision("1"));
        Selection selection = selection("", "pod=7", "");
        ask(mirror, selection);
        for (int i = 2; i < 4_098; i++) {
            writer.upsert(KubeObjects.object("a/" + i, i));
        }
        assertThat(candidates(mirror, selection)).as("three lists").isZero();

        for (int i = 4_098; i < 4_098 + 2 * 4_097; i++) {
            writer.upsert(KubeObjects.object("a/" + i, i));
        }

        assertThat(candidates(mirror, selection)).as("no index").isEqualTo(3 * 4_097 - 1);
    }

    @Test
    void number_of_maintained_indexes_is_bounded() {
        IndexUsage usage = new IndexUsage();
        for (int i = 0; i < 100; i++) {
            count(usage, new Dimension(false, "f" + i), 2);
        }

        assertThat(usage.worthwhile(false)).hasSize(8);
    }

    private static void count(IndexUsage usage, Dimension dimension, int times) {
        for (int i = 0; i < times; i++) {
            usage.count(dimension);
        }
    }

    /** Lists twice, after which there is an index for the selection if one is worth it. */
    private static void ask(Mirror mirror, Selection selection) {
        for (int i = 0; i < 2; i++) {
            candidates(mirror, selection);
        }
    }

    private static int candidates(Mirror mirror, Selection selection) {
        AtomicInteger looked = new AtomicInteger();
        mirror.snapshot()
                .orElseThrow()
                .candidates(selection, "")
                .forEach(_ -> looked.incrementAndGet());
        return looked.get();
    }

    private static KubeObject object(String path, int revision, RandomGenerator random) {
        KubeObject plain = KubeObjects.object(path, revision);
        Map<String, String> labels =
                random.nextInt(4) == 0
                        ? Map.of()
                        : Map.of("app", any(List.of("v", "w"), random), "tier", "x");
        Map<String, String> fields =
                random.nextBoolean() ? Map.of("spec.nodeName", "n") : Map.of("spec.nodeName", "");
        return plain.with(labels, fields);
    }

    private static <T> T any(List<T> list, RandomGenerator random) {
        return list.get(random.nextInt(list.size()));
    }
}
