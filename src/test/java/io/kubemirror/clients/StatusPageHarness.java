package io.kubemirror.clients;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.CONFIGMAPS;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.model.Status;
import io.kubemirror.testing.scripted.ArmedFault;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.ServerFault;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.node.ObjectNode;

import java.net.URI;

/**
 * The status page in a browser. Server and browser are started once, because a start takes longer
 * than a test. Each test has its own tab and namespace, and begins with one pod.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(180)
abstract class StatusPageHarness {

    static final String PODS_ROW = "document.querySelector('#resources tbody tr')";
    static final String EVENTS = "document.querySelector('#events tbody').innerText";

    final ScriptedApiServer server = ScriptedApiServer.create();
    final TcpRelay line = new TcpRelay();
    final ConfigurableApplicationContext kubemirror;
    final Chromium chromium;
    private int tests;
    BrowserTab tab;

    /** Starts kubemirror with pods, whose contents may be shown, and config maps. */
    StatusPageHarness() {
        ExternalProgram.CHROMIUM.demand();
        kubemirror =
                ApplicationLauncher.mirroring(
                        server.url(),
                        "pods",
                        "kubemirror.resources[1].resource=configmaps",
                        "kubemirror.page.show-contents=pods");
        chromium = new Chromium();
    }

    @BeforeEach
    void open() {
        tests++;
        server.create(pod(namespace(), "first"));
        lead();
        tab = new BrowserTab(chromium);
        tab.open(page());
        tab.await("document.querySelectorAll('#resources tbody tr').length >= 2");
        tab.await("document.getElementById('feed-status').innerText === 'all events'");
        tab.await(PODS_ROW + ".innerText.startsWith('pods\\twatching\\t1\\t')");
        tab.await(
                "document.getElementById('connection').innerText === 'all mirrors are connected'");
    }

    @AfterEach
    void leave() {
        for (ObjectNode pod : server.objects(PODS)) {
            server.delete(PODS, namespace(), pod.path("metadata").path("name").asString());
        }
        tab.close();
    }

    @AfterAll
    void close() {
        chromium.close();
        line.close();
        kubemirror.close();
        server.close();
    }

    /** A new namespace for each test. */
    String namespace() {
        return "test" + tests;
    }

    /** An expression that is true if the page shows an event of this test's namespace. */
    String told(String event) {
        return EVENTS + ".includes('" + event.formatted(namespace()) + "')";
    }

    void press(String key) {
        tab.press(key);
    }

    void awaitFeed(String text) {
        tab.await("document.getElementById('feed-status').innerText === '" + text + "'");
    }

    void lead() {
        line.lead(port("local.management.port"));
    }

    int port(String name) {
        return kubemirror.getEnvironment().getRequiredProperty(name, Integer.class);
    }

    URI page() {
        return line.url().resolve("/");
    }

    boolean isOwn(String url) {
        return url.startsWith(page().toString()) || url.equals("about:blank");
    }

    /** Refuses to list and watch config maps until the fault is withdrawn. */
    ArmedFault forbidden(String why) {
        ArmedFault fault =
                server.faultUntilWithdrawn(
                        ServerFault.onWatch(CONFIGMAPS).or(ServerFault.onList(CONFIGMAPS)),
                        ServerFault.respond(new Status(403, "Forbidden", why, null)));
        server.compact();
        server.restart();
        return fault;
    }
}
