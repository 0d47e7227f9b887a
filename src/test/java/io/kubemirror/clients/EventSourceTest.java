package io.kubemirror.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A browser that watches by server-sent events resumes after a broken connection. */
@WithApiServer
class EventSourceTest {

    private final NamespaceFixture namespaceFixture;
    private final ReportedPods reportedPods = new ReportedPods();
    private final EventSourcePage eventSourcePage;

    EventSourceTest(ApiServer server, TestNamespace namespace) {
        ExternalProgram.CHROMIUM.demand();
        namespaceFixture = new NamespaceFixture(server, namespace.name());
        namespaceFixture.create("changed");
        namespaceFixture.awaitConsistency();
        eventSourcePage =
                new EventSourcePage(
                        namespaceFixture.line().url(), namespaceFixture.pods(), reportedPods);
        awaitObject("added changed");
    }

    @AfterEach
    void close() {
        eventSourcePage.close();
        namespaceFixture.close();
    }

    /**
     * Each connection breaks in the middle of an event: after its id, and before the blank line.
     */
    @Test
    void event_source_resumes_without_loss_or_duplicates_after_a_break() {
        List<String> expected = new ArrayList<>(List.of("added changed"));
        for (int i = 0; i < 4; i++) {
            eventSourcePage.line().breakBehind(Pattern.compile("(?s)(\\nid: \\d.*?){3}\\ndata: "));
        }
        for (int i = 0; i < 10; i++) {
            String name = "brief" + i;
            namespaceFixture.create(name);
            namespaceFixture.delete(name);
            expected.addAll(List.of("added " + name, "changed " + name, "deleted " + name));
            awaitObject("deleted " + name);
        }

        assertThat(eventSourcePage.line().breaksLeft()).isZero();
        assertThat(eventSourcePage.line().asked().split("Last-Event-ID: \\d", -1)).hasSize(5);
        assertThat(reportedPods.told()).isEqualTo(expected);
        assertThat(eventSourcePage.held()).isEqualTo(namespaceFixture.truth());
    }

    private void awaitObject(String event) {
        assertThat(reportedPods.await(() -> reportedPods.told().contains(event))).isTrue();
    }
}
