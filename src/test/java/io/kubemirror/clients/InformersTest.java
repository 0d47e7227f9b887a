package io.kubemirror.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.kubemirror.testground.ApiServer;
import io.kubemirror.testground.TestNamespace;
import io.kubemirror.testground.WithApiServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;

/**
 * Informers of other people's clients, unmodified, in good times and bad.
 *
 * <p>A pod that is deleted before their eyes changes first, since it is told that it shall go.
 */
@WithApiServer
@TestInstance(Lifecycle.PER_CLASS)
class InformersTest {

    private static final String GONE = "\"code\":410";

    private final Site site;
    private final Company company;

    InformersTest(ApiServer server, TestNamespace namespace) {
        site = new Site(server, namespace.name());
        company = Company.through(site);
    }

    @AfterAll
    void close() {
        company.close();
        site.close();
    }

    @ParameterizedTest
    @EnumSource
    void an_informer_begins_with_all_that_is_there(Member member) {
        assertThat(scene(member, Chapter.BEGINNING).told())
                .containsExactlyInAnyOrder("added changed", "added deleted");
    }

    @ParameterizedTest
    @EnumSource
    void it_reads_in_the_way_that_is_meant(Member member) {
        String asked =
                scene(member, Chapter.BEGINNING).asked() + scene(member, Chapter.CHANGES).asked();

        assertThat(asked).contains(member.sign());
    }

    @ParameterizedTest
    @EnumSource
    void it_sees_each_addition_change_and_deletion(Member member) {
        assertThat(scene(member, Chapter.CHANGES).told())
                .containsExactly(
                        "added added",
                        "changed changed",
                        "changed changed",
                        "changed changed",
                        "changed deleted",
                        "deleted deleted");
    }

    @ParameterizedTest
    @EnumSource
    void it_misses_nothing_when_its_connection_breaks(Member member) {
        assertThat(scene(member, Chapter.CUT).told())
                .contains("added added-in-cut", "changed changed")
                .containsAll(deletion(member, "added"));
    }

    @ParameterizedTest
    @EnumSource
    void it_misses_nothing_when_kubemirror_restarts(Member member) {
        assertThat(scene(member, Chapter.RESTART).told())
                .contains("added added-in-restart", "changed changed")
                .containsAll(deletion(member, "added-in-cut"));
        assertThat(scene(member, Chapter.AFTER_RESTART).told())
                .containsExactly(
                        "added added-after-restart",
                        "changed changed",
                        "changed added-in-restart",
                        "deleted added-in-restart");
    }

    @ParameterizedTest
    @EnumSource
    void it_misses_nothing_when_its_cursor_has_expired(Member member) {
        Scene scene = scene(member, Chapter.EXPIRY);

        assertThat(scene.answered().contains(GONE)).isEqualTo(member.resumes());
        assertThat(scene.told())
                .containsOnlyOnce("added added-meanwhile", "changed changed")
                .containsAll(deletion(member, "added-after-restart"));
        assertThat(scene(member, Chapter.AFTER_EXPIRY).told())
                .containsExactly(
                        "added added-at-last",
                        "changed changed",
                        "changed added-meanwhile",
                        "deleted added-meanwhile");
    }

    /** So it is not for kubemirror to mend. */
    @Test
    void what_watch_list_of_fabric8_overlooks_it_overlooks_at_the_api_server_too() {
        ApiServer server = site.server();
        assumeThat(server.url().getScheme()).isEqualTo("http");
        Sight sight = new Sight();
        site.create("kept");
        try (Line line = lineTo(server);
                Informer informer =
                        Member.FABRIC8_WATCH_LIST.join(line.url(), site.namespace(), sight)) {
            assertThat(sight.await(() -> sight.state().containsKey("kept"))).isTrue();
            line.cut();
            site.delete("kept");
            site.create("new");
            line.lead(server.url().getPort());
            assertThat(sight.await(() -> sight.told().contains("added new"))).isTrue();
            site.change("new", 1);

            assertThat(sight.await(() -> sight.told().contains("changed new"))).isTrue();
            assertThat(informer.held()).containsKeys("kept", "new");
        }
    }

    /** Neither its cache nor its events may tell anything else than the truth. */
    private Scene scene(Member member, Chapter chapter) {
        member.demand();
        Scene scene = company.scene(member, chapter);
        assertThat(scene.held()).as("cache").isEqualTo(scene.known());
        assertThat(scene.state()).as("events").isEqualTo(scene.known());
        return scene;
    }

    private static Line lineTo(ApiServer server) {
        Line line = new Line();
        line.lead(server.url().getPort());
        return line;
    }

    private static List<String> deletion(Member member, String name) {
        return member.overlooksDeletions() ? List.of() : List.of("deleted " + name);
    }
}
