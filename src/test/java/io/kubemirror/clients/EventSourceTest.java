package io.kubemirror.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testground.ApiServer;
import io.kubemirror.testground.TestNamespace;
import io.kubemirror.testground.WithApiServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A browser that watches by server-sent events, and resumes by itself when they break off. */
@WithApiServer
class EventSourceTest {

    private final Site site;
    private final Sight sight = new Sight();
    private final Browser browser;

    EventSourceTest(ApiServer server, TestNamespace namespace) {
        Program.CHROMIUM.demand();
        site = new Site(server, namespace.name());
        site.create("changed");
        site.awaitTruth();
        browser = new Browser(site.line().url(), site.pods(), sight);
        awaitSight("added changed");
    }

    @AfterEach
    void close() {
        browser.close();
        site.close();
    }

    /** Each break is in the middle of an event: behind its id, and before the blank line. */
    @Test
    void nothing_is_lost_or_repeated_when_the_connection_breaks_in_the_middle_of_an_event() {
        List<String> expected = new ArrayList<>(List.of("added changed"));
        for (int i = 0; i < 4; i++) {
            browser.line().breakBehind(Pattern.compile("(?s)(\\nid: \\d.*?){3}\\ndata: "));
        }
        for (int i = 0; i < 10; i++) {
            String name = "brief" + i;
            site.create(name);
            site.delete(name);
            expected.addAll(List.of("added " + name, "changed " + name, "deleted " + name));
            awaitSight("deleted " + name);
        }

        assertThat(browser.line().breaksLeft()).isZero();
        assertThat(browser.line().asked().split("Last-Event-ID: \\d", -1)).hasSize(5);
        assertThat(sight.told()).isEqualTo(expected);
        assertThat(browser.held()).isEqualTo(site.truth());
    }

    private void awaitSight(String event) {
        assertThat(sight.await(() -> sight.told().contains(event))).isTrue();
    }
}
