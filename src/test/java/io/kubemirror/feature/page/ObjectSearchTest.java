package io.kubemirror.feature.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import module java.base;

import io.kubemirror.app.health.PodMirror;
import io.kubemirror.feature.page.ObjectPages.ObjectPage;
import io.kubemirror.feature.page.ObjectSearch.FoundObject;
import io.kubemirror.feature.page.ObjectSearch.ObjectVersion;
import io.kubemirror.feature.page.ObjectSearch.ObjectVersions;
import io.kubemirror.feature.page.ObjectSearch.SearchResult;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;

import org.junit.jupiter.api.Test;

/** Tests what the status page finds of an object. */
class ObjectSearchTest {

    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
    private static final ObjectKey WEB = ObjectKey.of("default", "web");

    private final PodMirror pods = new PodMirror("default");
    private final ObjectSearch search = new ObjectSearch(() -> NOW, () -> 3_000_000_000L);

    @Test
    void objects_of_exactly_the_name_come_first_and_deleted_ones_are_found() {
        pods.sync("5", PodMirror.pod("a-web", "2", "{}"), PodMirror.pod("web", "4", "{}"));
        pods.upsert(PodMirror.pod("web-gone", "6", "{}"));
        pods.delete("web-gone", "7");

        SearchResult found = search.search(List.of(pods.mirror()), "web");

        assertThat(found.objects())
                .extracting(FoundObject::key, FoundObject::deleted)
                .containsExactly(
                        tuple("default/web", false),
                        tuple("default/a-web", false),
                        tuple("default/web-gone", true));
        assertThat(found.more()).isFalse();
    }

    @Test
    void object_that_was_created_again_is_not_found_as_deleted() {
        pods.sync("5");
        pods.upsert(PodMirror.pod("web", "6", "{}"));
        pods.delete("web", "7");
        pods.upsert(PodMirror.pod("web", "8", "{}"));

        assertThat(search.search(List.of(pods.mirror()), "web").objects())
                .containsExactly(new FoundObject("pods/default", "default/web", "8", false));
    }

    @Test
    void result_is_limited_and_says_so() {
        pods.sync("5");
        for (int i = 0; i < 200; i++) {
            pods.upsert(PodMirror.pod("p" + i, Integer.toString(6 + i), "{}"));
        }
        for (int i = 0; i < 100; i++) {
            pods.delete("p" + i, Integer.toString(300 + i));
        }

        SearchResult found = search.search(List.of(pods.mirror()), "p");

        assertThat(found.objects()).hasSize(50);
        assertThat(found.more()).isTrue();
        assertThat(search.search(List.of(pods.mirror()), "p7").objects())
                .hasSize(11)
                .allMatch(FoundObject::deleted);
    }

    @Test
    void objects_that_are_created_again_leave_room_for_others_that_were_deleted() {
        pods.sync("5");
        int revision = 6;
        for (int i = 0; i < 60; i++) {
            pods.upsert(PodMirror.pod("p" + i, Integer.toString(revision++), "{}"));
            pods.delete("p" + i, Integer.toString(revision++));
        }
        for (int i = 0; i < 51; i++) {
            pods.upsert(PodMirror.pod("p" + i, Integer.toString(revision++), "{}"));
        }
        for (int i = 0; i < 49; i++) {
            pods.delete("p" + i, Integer.toString(revision++));
        }

        SearchResult found = search.search(List.of(pods.mirror()), "p");

        assertThat(found.objects()).hasSize(50);
        assertThat(found.objects().stream().limit(4))
                .extracting(FoundObject::key, FoundObject::deleted)
                .containsExactly(
                        tuple("default/p49", false),
                        tuple("default/p50", false),
                        tuple("default/p48", true),
                        tuple("default/p47", true));
        assertThat(found.more()).isTrue();
        assertThat(search.search(List.of(pods.mirror()), "p5").objects())
                .extracting(FoundObject::key)
                .contains("default/p59");
    }

    @Test
    void object_of_exactly_the_name_is_found_after_many_similar_ones_were_deleted() {
        pods.sync("5");
        int revision = 6;
        for (int i = 0; i < 60; i++) {
            pods.upsert(PodMirror.pod("web-" + i, Integer.toString(revision++), "{}"));
            pods.delete("web-" + i, Integer.toString(revision++));
        }
        pods.upsert(PodMirror.pod("web", Integer.toString(revision++), "{}"));
        pods.delete("web", Integer.toString(revision++));

        assertThat(search.search(List.of(pods.mirror()), "web").objects().getFirst())
                .isEqualTo(new FoundObject("pods/default", "default/web", "126", true));
    }

    @Test
    void history_of_an_object_has_the_state_before_its_first_change_and_each_later_one() {
        pods.sync("5", PodMirror.pod("web", "4", "{\"a\":1}"));
        assertThat(search.versions(pods.mirror(), WEB, true).versions())
                .containsExactly(new ObjectVersion("EARLIER", "4", null));

        pods.upsert(PodMirror.pod("web", "6", "{\"a\":2}"));
        pods.upsert(PodMirror.pod("other", "7", "{}"));
        pods.delete("web", "8");

        ObjectVersions versions = search.versions(pods.mirror(), WEB, false);

        assertThat(versions.versions())
                .containsExactly(
                        new ObjectVersion("DELETED", "8", NOW.minusSeconds(3)),
                        new ObjectVersion("MODIFIED", "6", NOW.minusSeconds(3)),
                        new ObjectVersion("EARLIER", "4", null));
        assertThat(versions.contents()).isFalse();
        assertThat(List.of(state("4"), state("6"), state("8")))
                .containsExactly("{\"a\":1}", "{\"a\":2}", "{\"a\":2}");
        assertThat(search.state(pods.mirror(), WEB, "7")).isEmpty();
        assertThat(search.versions(pods.mirror(), ObjectKey.of("default", "no"), true).versions())
                .isEmpty();
    }

    @Test
    void history_of_an_object_is_limited_to_the_newest_versions() {
        pods.sync("5", PodMirror.pod("web", "4", "{}"));
        for (int i = 0; i < 300; i++) {
            pods.upsert(PodMirror.pod("web", Integer.toString(6 + i), "{}"));
        }

        ObjectVersions versions = search.versions(pods.mirror(), WEB, true);

        assertThat(versions.versions()).hasSize(100);
        assertThat(versions.versions().getFirst().revision()).isEqualTo("305");
        assertThat(versions.more()).isEqualTo(201);
    }

    private String state(String revision) {
        KubeObject state = search.state(pods.mirror(), WEB, revision).orElseThrow();
        return new String(state.json(), StandardCharsets.UTF_8);
    }
}
