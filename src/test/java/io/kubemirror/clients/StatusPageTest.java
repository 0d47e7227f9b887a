package io.kubemirror.clients;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.CONFIGMAPS;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.Status;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ArmedFault;
import io.kubemirror.testing.scripted.ServerFault;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** Tests the state, the events, and the accessibility of the status page. */
class StatusPageTest extends StatusPageHarness {

    @Test
    void status_page_shows_state_and_events_and_loads_only_own_resources() {
        tab.await(PODS_ROW + ".innerText.startsWith('pods\\twatching\\t1\\t')");
        tab.await(
                "document.getElementById('connection').innerText === 'all mirrors are connected'");

        server.create(pod(namespace(), "second"));

        tab.await(PODS_ROW + ".innerText.startsWith('pods\\twatching\\t2\\t')");
        tab.await(told("added\\tpods\\t%s/second\\t"));
        assertThat(
                        tab.look(PODS_ROW + ".querySelector('svg .stroke').getAttribute('d')")
                                .asString())
                .startsWith("M");
        assertThat(tab.requests()).hasSizeGreaterThan(4).allMatch(url -> isOwn(url));
        assertThat(tab.complaints()).isEmpty();
    }

    @Test
    void events_can_be_filtered_and_paused_by_keyboard() {
        assertThat(focused(20))
                .containsExactly(
                        "Skip to the events",
                        "Diagnosis as JSON",
                        "Table of resources",
                        "pods",
                        "configmaps",
                        "Table of requests",
                        "Timeline of state changes",
                        "Table of state changes",
                        "Table of clients",
                        "name",
                        "mirror",
                        "sortBy",
                        "Search",
                        "mirror",
                        "namespace",
                        "name",
                        "labels",
                        "Clear filter",
                        "Pause",
                        "Table of events");
        tab.look("document.querySelector('#filter [name=namespace]').focus()");
        press("Tab");
        tab.type("want");
        press("Tab");
        tab.type("app=shop");
        press("Enter");
        awaitFeed("events with name want, labels app=shop");

        server.create(pod(namespace(), "wanted-not").label("app", "other"));
        server.create(pod(namespace(), "other").label("app", "shop"));
        server.create(pod(namespace(), "wanted").label("app", "shop"));
        tab.await(told("%s/wanted\\t"));
        assertThat(tab.look(EVENTS).asString()).doesNotContain("other", "wanted-not");

        tab.look("document.getElementById('pause').focus()");
        press(" ");
        awaitFeed("paused");
        server.label(PODS, namespace(), "wanted", "seen", "no");
        tab.await("document.getElementById('waiting').innerText === '1 waiting'");
        assertThat(tab.look(EVENTS).asString()).doesNotContain("modified");
        press(" ");
        tab.await(told("modified\\tpods\\t%s/wanted\\t"));
    }

    @Test
    void objects_of_a_resource_are_shown_in_sorted_pages() {
        for (int i = 0; i < 60; i++) {
            server.create(pod(namespace(), "sorted-" + i));
        }
        tab.await("Number(" + PODS_ROW + ".cells[2].innerText) >= 60");
        tab.look("document.querySelector('#search [name=mirror]').value = 'pods'");
        tab.look("document.querySelector('#search [name=sortBy]').value = '-metadata.name'");
        tab.look("document.querySelector('#search').requestSubmit()");
        tab.await("document.getElementById('search-status').innerText.startsWith('1 to 50 of ')");
        String first = "document.querySelector('#found tbody button').innerText";
        assertThat(tab.look(first).asString()).endsWith("/sorted-59");

        tab.look("document.getElementById('next-page').click()");
        tab.await("document.getElementById('search-status').innerText.startsWith('51 to ')");
        assertThat(tab.look(first).asString()).endsWith("/sorted-9");
        tab.look("document.getElementById('previous-page').click()");
        tab.await(first + ".endsWith('/sorted-59')");
    }

    @Test
    void resource_details_show_settings_and_watchers() {
        URI api = URI.create("http://127.0.0.1:" + port("local.server.port"));
        try (WatchReader watch =
                RestClient.of(api).watch("/api/v1/pods?watch=1&labelSelector=app%3Dshop")) {
            assertThat(watch).isNotNull();
            tab.await(PODS_ROW + ".cells[9].innerText === '1'");
            tab.look(PODS_ROW + ".querySelector('button').focus()");
            press("Enter");

            tab.await("document.querySelectorAll('#followers tbody tr').length === 1");

            assertThat(tab.look("document.getElementById('details').innerText").asString())
                    .contains("auto", "by watch-list in", "labels app=shop", "127.0.0.1:");
            press("Enter");
            tab.await("!document.getElementById('details').open");
            assertThat(tab.look("document.activeElement.innerText").asString()).isEqualTo("pods");
        }
    }

    @Test
    void api_server_messages_are_shown_as_text_not_markup() {
        String evil = "<img src=/x onerror=alert(1)>";
        try (ArmedFault _ =
                server.faultUntilWithdrawn(
                        ServerFault.onWatch(CONFIGMAPS).or(ServerFault.onList(CONFIGMAPS)),
                        ServerFault.respond(new Status(403, "Forbidden", evil, null)))) {
            server.compact();
            server.restart();

            tab.await(
                    "document.getElementById('resources').innerText.includes('onerror=alert(1)')");
        }

        assertThat(tab.look("document.querySelectorAll('main img').length").asInt()).isZero();
        assertThat(tab.complaints()).isEmpty();
    }

    @Test
    void keyboard_focus_is_visible() {
        press("Tab");
        press("Tab");
        assertThat(tab.look("getComputedStyle(document.activeElement).outlineStyle").asString())
                .isEqualTo("solid");
    }

    @Test
    void invalid_selector_is_reported_until_corrected() {
        tab.look("document.querySelector('#filter [name=labels]').focus()");
        tab.type("app=(");
        tab.await("document.getElementById('feed-status').className === 'refused'");
        assertThat(
                        tab.look(
                                        "document.querySelector('#filter"
                                                + " [name=labels]').getAttribute('aria-invalid')")
                                .asString())
                .isEqualTo("true");

        tab.look("document.querySelector('[type=reset]').focus()");
        press("Enter");
        awaitFeed("all events");
        server.create(pod(namespace(), "second"));
        tab.await(told("%s/second"));
    }

    @Test
    void lost_connection_is_shown_as_an_alert_until_restored() {
        line.cut();
        tab.await("document.getElementById('lost').innerText.includes('Lost the connection')");
        assertThat(tab.look("document.getElementById('lost').getAttribute('role')").asString())
                .isEqualTo("alert");

        lead();
        tab.await("document.getElementById('lost').hidden");
        server.create(pod(namespace(), "second"));
        tab.await(PODS_ROW + ".innerText.startsWith('pods\\twatching\\t2\\t')");
    }

    @Test
    void status_page_respects_preferred_color_scheme_and_reduced_motion() {
        String paper = "getComputedStyle(document.body).backgroundColor";
        tab.prefer("prefers-color-scheme", "light");
        assertThat(tab.look(paper).asString()).isEqualTo("rgb(246, 247, 249)");
        tab.prefer("prefers-color-scheme", "dark");
        assertThat(tab.look(paper).asString()).isEqualTo("rgb(15, 20, 26)");

        server.create(pod(namespace(), "second"));
        tab.await(told("%s/second"));
        String motion =
                "getComputedStyle(document.querySelector('#events tbody tr')).animationName";
        assertThat(tab.look(motion).asString()).isEqualTo("fresh");
        tab.prefer("prefers-reduced-motion", "reduce");
        assertThat(tab.look(motion).asString()).isEqualTo("none");
    }

    private List<String> focused(int times) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            press("Tab");
            String name =
                    "(a => a.name || a.getAttribute('aria-label') ||"
                            + " a.innerText)(document.activeElement)";
            names.add(tab.look(name).asString());
        }
        return names;
    }
}
