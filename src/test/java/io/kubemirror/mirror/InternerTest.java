package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;

/** Equal values of objects are in memory once. */
class InternerTest {

    private final Interner interner = new Interner();
    private final Mirror mirror = Mirrors.pods();
    private final MirrorWriter writer = Mirrors.writer(mirror, () -> 0);

    @Test
    void objects_with_equal_labels_and_fields_share_one_map() {
        KubeObject first = share(pod("a/x", 1, "app", "shop", "spec.nodeName", "n1"));
        KubeObject second = share(pod("a/y", 2, "app", "shop", "spec.nodeName", "n1"));

        assertThat(second.labels()).isSameAs(first.labels());
        assertThat(second.fields()).isSameAs(first.fields());
    }

    @Test
    void maps_that_differ_still_share_equal_strings() {
        KubeObject first = share(pod("a/x", 1, "app", "shop", "status.podIP", "10.0.0.1"));
        KubeObject second = share(pod("a/y", 2, "app", "shop", "status.podIP", "10.0.0.2"));
        KubeObject third =
                share(
                        second.with(
                                fresh(Map.of("app", "shop", "tier", "front")),
                                fresh(Map.of("app", "shop"))));

        assertThat(second.fields()).isEqualTo(Map.of("status.podIP", "10.0.0.2"));
        assertThat(text(second.fields(), "status.podIP"))
                .isSameAs(text(first.fields(), "status.podIP"));
        assertThat(third.labels()).isEqualTo(Map.of("app", "shop", "tier", "front"));
        assertThat(third.labels().get("app")).isSameAs(first.labels().get("app"));
        assertThat(third.fields().get("app")).isSameAs(first.labels().get("app"));
    }

    @Test
    void object_shares_labels_and_fields_with_its_previous_state() {
        KubeObject previous = pod("a/x", 1, "app", "shop", "status.podIP", "10.0.0.1");
        KubeObject next = pod("a/x", 2, "app", "shop", "status.podIP", "10.0.0.1");

        KubeObject shared = interner.share(next, previous);

        assertThat(shared.labels()).isSameAs(previous.labels());
        assertThat(shared.fields()).isSameAs(previous.fields());
    }

    @Test
    void interner_evicts_entries_unused_for_long() {
        KubeObject first = share(pod("a/x", 1, "app", "shop", "spec.nodeName", "n1"));
        for (int i = 0; i < 100_000; i++) {
            share(pod("a/y", 2, "other " + i, "value " + i, "spec.nodeName", "n2 " + i));
        }
        KubeObject again = share(pod("a/z", 3, "app", "shop", "spec.nodeName", "n1"));

        assertThat(again.labels()).isEqualTo(first.labels()).isNotSameAs(first.labels());
        assertThat(again.fields().get("spec.nodeName"))
                .isEqualTo("n1")
                .isNotSameAs(first.fields().get("spec.nodeName"));
    }

    @Test
    void objects_from_lists_and_watches_share_equal_labels() {
        Resync resync = writer.resync();
        resync.add(pod("a/x", 1, "app", "shop", "spec.nodeName", "n1"));
        resync.add(pod("a/y", 2, "app", "shop", "spec.nodeName", "n1"));
        resync.complete(new Revision("3"));
        writer.upsert(pod("a/z", 4, "app", "shop", "spec.nodeName", "n1"));
        writer.upsert(pod("a/x", 5, "app", "shop", "spec.nodeName", "n1"));

        List<KubeObject> objects = List.copyOf(mirror.snapshot().orElseThrow().objects());
        assertThat(objects).hasSize(3);
        assertThat(objects)
                .allSatisfy(
                        each -> assertThat(each.labels()).isSameAs(objects.getFirst().labels()));
    }

    private KubeObject share(KubeObject object) {
        return interner.share(object, null);
    }

    /** As it arrives from the wire: no string and no map is shared. */
    private static KubeObject pod(
            String key, long revision, String label, String text, String field, String value) {
        return object(key, revision).with(fresh(Map.of(label, text)), fresh(Map.of(field, value)));
    }

    private static Map<String, String> fresh(Map<String, String> map) {
        Map<String, String> copy = new HashMap<>();
        map.forEach((key, value) -> copy.put(fresh(key), fresh(value)));
        return Map.copyOf(copy);
    }

    private static String fresh(String text) {
        return String.valueOf(text.toCharArray());
    }

    private static String text(Map<String, String> map, String wanted) {
        return map.keySet().stream().filter(wanted::equals).findFirst().orElseThrow();
    }
}
