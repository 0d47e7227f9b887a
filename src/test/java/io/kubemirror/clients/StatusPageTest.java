package io.kubemirror.clients;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.CONFIGMAPS;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.model.Status;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.TestFiles;
import io.kubemirror.testing.scripted.ArmedFault;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.ServerFault;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.node.ObjectNode;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/**
 * Tests what the status page shows of state, events, problems, and clients, its layout, and its use
 * by keyboard, in a browser. Server and browser are started once, because a start takes longer than
 * a test. Each test has its own tab and namespace, and begins with one pod.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StatusPageTest {

    private static final String PODS_ROW = "document.querySelector('#resources tbody tr')";
    private static final String EVENTS = "document.querySelector('#events tbody').innerText";

    private final ScriptedApiServer server = ScriptedApiServer.create();
    private final TcpRelay line = new TcpRelay();
    private final ConfigurableApplicationContext kubemirror;
    private final Chromium chromium;
    private int tests;
    private BrowserTab tab;

    /** Starts kubemirror with pods and config maps. */
    StatusPageTest() {
        ExternalProgram.CHROMIUM.demand();
        kubemirror =
                ApplicationLauncher.mirroring(
                        server.url(),
                        "pods",
                        "kubemirror.resources[1].resource=configmaps",
                        // A test waits for what another one has disturbed.
                        "kubemirror.upstream.retry.base-delay=500ms",
                        "kubemirror.upstream.retry.max-delay=1s");
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
    private String namespace() {
        return "test" + tests;
    }

    /** An expression that is true if the page shows an event of this test's namespace. */
    private String told(String event) {
        return EVENTS + ".includes('" + event.formatted(namespace()) + "')";
    }

    private void awaitFeed(String text) {
        tab.await("document.getElementById('feed-status').innerText === '" + text + "'");
    }

    private void lead() {
        line.lead(ApplicationLauncher.url(kubemirror, "local.management.port").getPort());
    }

    private URI page() {
        return line.url().resolve("/");
    }

    private boolean isOwn(String url) {
        return url.startsWith(page().toString()) || url.equals("about:blank");
    }

    /** Refuses to list and watch config maps until the fault is withdrawn. */
    private ArmedFault forbidden(String why) {
        ArmedFault fault =
                server.faultUntilWithdrawn(
                        ServerFault.onWatch(CONFIGMAPS).or(ServerFault.onList(CONFIGMAPS)),
                        ServerFault.respond(new Status(403, "Forbidden", why, null)));
        server.compact();
        server.restart();
        return fault;
    }

    private static final String EVIL = "<img src=/x onerror=alert(1)>";

    @Test
    void status_page_shows_state_and_events_and_loads_only_own_resources() {
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
        List<String> order = TestFiles.lines("clients/tab-order.txt");
        assertThat(focused(order.size())).isEqualTo(order);
        tab.look("document.querySelector('#filter [name=namespace]').focus()");
        tab.press("Tab");
        tab.type("want");
        awaitFeed("events with name want");

        server.create(pod(namespace(), "other"));
        server.create(pod(namespace(), "wanted"));
        tab.await(told("%s/wanted\\t"));
        assertThat(tab.look(EVENTS).asString()).doesNotContain("other");

        tab.look("document.getElementById('pause').focus()");
        tab.press(" ");
        awaitFeed("paused");
        server.label(PODS, namespace(), "wanted", "seen", "no");
        tab.await("document.getElementById('waiting').innerText === '1 waiting'");
        assertThat(tab.look(EVENTS).asString()).doesNotContain("modified");
        tab.press(" ");
        tab.await(told("modified\\tpods\\t%s/wanted\\t"));

        tab.look("document.querySelector('[type=reset]').focus()");
        tab.press("Enter");
        awaitFeed("all events");
        tab.await(told("added\\tpods\\t%s/other\\t"));
    }

    @Test
    void focus_stays_at_its_row_when_rows_are_replaced() {
        String focused =
                """
                import('/page-elements.js').then(({ showRows }) => {
                    const table = document.createElement('table');
                    table.append(document.createElement('tbody'));
                    document.body.append(table);
                    const show = (...texts) => showRows(table, texts, text => {
                        const row = document.createElement('tr');
                        row.innerHTML = `<td><button>${text}</button></td>`;
                        return row;
                    });
                    show('first', 'second');
                    table.querySelector('button').focus();
                    show('newest', 'first for longer', 'second');
                    return document.activeElement.innerText;
                })
                """;

        assertThat(tab.look(focused).asString()).isEqualTo("first for longer");
    }

    @Test
    void address_has_the_filter_and_a_key_leads_to_it() {
        tab.open(page().resolve("/?mirror=pods&name=kept&length=1"));
        awaitFeed("events with mirror pods, name kept");
        tab.look("document.getElementById('pause').focus()");
        tab.press("/");
        tab.type("-one");
        awaitFeed("events with mirror pods, name kept-one");

        assertThat(tab.look("location.search").asString()).isEqualTo("?mirror=pods&name=kept-one");
        assertThat(tab.complaints()).isEmpty();
    }

    @Test
    void row_of_a_healthy_mirror_is_one_line_on_a_phone_until_it_is_tapped() {
        tab.resize(390, 844);
        String height = PODS_ROW + ".offsetHeight";
        tab.await(height + " < 45");

        tab.look(PODS_ROW + ".cells[1].click()");

        tab.await(height + " > 90");
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

    /**
     * The names of what is focused, without the link of a finding about the heap of this JVM, and
     * without changes of several mirrors, which depend on what other tests did.
     */
    private List<String> focused(int count) {
        List<String> names = new ArrayList<>();
        while (names.size() < count) {
            tab.press("Tab");
            String name =
                    "(a => a.name || a.getAttribute('aria-label') ||"
                            + " a.innerText)(document.activeElement)";
            names.add(tab.look(name).asString());
            names.removeIf(one -> one.matches("Runbook|\\d mirrors"));
        }
        return names;
    }

    @Test
    void findings_are_the_first_part_and_say_what_to_do_and_messages_are_no_markup() {
        tab.await(findingsAre(0));
        assertThat(tab.look("document.querySelector('main h2').innerText").asString())
                .isEqualTo("Findings");

        try (ArmedFault _ = forbidden(CONFIGMAPS.plural() + " " + EVIL)) {
            tab.await(text("findings") + ".includes('onerror=alert(1)')");
            tab.await(findingsAre(1));
            tab.await(
                    text("findings")
                            + ".match(/warning[^]*configmaps: HTTP 403[^]*do not restart it/)"
                            + " !== null");
            assertThat(tab.look("document.querySelector('#findings a').href").asString())
                    .endsWith("src/docs/troubleshooting.md#kubemirrorcutoff");
            // A change of several mirrors at the same time may be shown above it.
            tab.await(text("changes") + ".match(/configmaps\\tbacking off\\t.*onerror/) !== null");
            tab.await(
                    "['warning', 'pill warn', 'state warn'].every(name =>"
                            + " document.getElementsByClassName(name).length > 0) &&"
                            + " document.querySelectorAll('.pill.bad, tbody .bad').length === 0");
            assertThat(tab.look(text("findings")).asString())
                    .containsPattern("since \\d\\d:\\d\\d:\\d\\d")
                    .doesNotContainPattern("\\dT\\d");
        }
        tab.await(findingsAre(0));
        assertThat(tab.look(text("changes")).asString())
                .containsPattern("configmaps\\tbacking off\\t[\\d.]+ (s|min)\\t.*onerror");
        assertThat(tab.look("document.querySelectorAll('main img').length").asInt()).isZero();
        assertThat(tab.complaints()).isEmpty();
    }

    /**
     * Whether the page shows so many findings, and says how many there are. One about the heap of
     * this JVM, which other tests use too, is no finding of this test.
     */
    private static String findingsAre(int count) {
        return """
        (all => all.filter(one => !one.innerText.includes('of the heap are in use')).length === %d
            && %s === (all.length === 0 ? 'No problems found.'
                : all.length + (all.length === 1 ? ' finding' : ' findings')))
        ([...document.querySelectorAll('#findings > *')])
        """
                .formatted(count, text("findings-status"));
    }

    @Test
    void timeline_has_the_states_of_a_mirror_in_their_order_and_the_color_of_its_row() {
        String bar =
                "[...document.querySelectorAll('#timeline tbody tr')].find(row =>"
                        + " row.cells[0].innerText === 'configmaps').querySelector('svg')";
        // By its title, because a state that lasted a millisecond is drawn at the same place.
        String newest =
                "[...%s.querySelectorAll('rect')].find(part =>".formatted(bar)
                        + " /^[^,]*, since /.test(part.textContent))";
        try (ArmedFault _ = forbidden("for a test")) {
            // The state changes during each attempt, and the newest part with it.
            tab.await(
                    newest
                            + ".getAttribute('class') === 'warn' && "
                            + newest
                            + ".textContent.match(/^backing off, since [^]*for a test/) !== null");
            tab.await(
                    "[...document.querySelectorAll('tr .state.warn')].some(state =>"
                            + " state.closest('tr').innerText.startsWith('configmaps'))");
        }
        tab.await(newest + ".getAttribute('class') === 'good'");

        assertThat(tab.look(bar + ".getAttribute('aria-label')").asString())
                .matches("watching since [\\d:.]+, \\d+ state changes");
        assertThat(
                        tab.look(
                                        "Math.max(...[...%s.querySelectorAll('rect')].map(part =>"
                                                        .formatted(bar)
                                                + " part.x.baseVal.value +"
                                                + " part.width.baseVal.value))")
                                .asInt())
                .isEqualTo(1000);
        assertThat(tab.look(bar + ".querySelectorAll('.warn').length").asInt()).isPositive();
        assertThat(tab.look("document.querySelectorAll('#timeline tbody tr').length").asInt())
                .isEqualTo(2);
    }

    @Test
    void requests_and_clients_are_shown_with_their_delays() throws Exception {
        URI api = ApplicationLauncher.url(kubemirror, "local.server.port");
        URI watch = api.resolve("/api/v1/pods?watch=1&labelSelector=app%3Dshop");
        HttpRequest request = HttpRequest.newBuilder(watch).header("User-Agent", EVIL).build();
        try (HttpClient http = HttpClient.newHttpClient();
                InputStream _ = http.send(request, BodyHandlers.ofInputStream()).body()) {
            RestClient client = RestClient.of(api);
            for (int i = 0; i < 30; i++) {
                client.get("/api/v1/pods");
                client.get("/api/v1/nodes");
            }
            tab.await(text("requests") + ".match(/list\\tkubemirror\\t(?!0\\.0)/) !== null");
            tab.await(text("requests") + ".match(/\\t≤ \\d/) !== null");
            tab.await(text("clients") + ".includes('onerror')");
            assertThat(tab.look(text("clients")).asString())
                    .contains("127.0.0.1:", "\tpods\t", "labels app=shop");
            http.shutdownNow();
        }
        assertThat(tab.look("document.querySelectorAll('main img').length").asInt()).isZero();
    }

    private static String text(String id) {
        return "document.getElementById('" + id + "').innerText";
    }

    private static final String VIOLATIONS =
            """
            axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(
                ({ id, nodes }) => nodes.map(({ html, any, all, none }) =>
                    `${id}: ${html.slice(0, 160)}: ${[...any, ...all, ...none].map(({ message }) => message)}`))
                .join('\\n'))
            """;

    private void loadAxe() throws IOException {
        ExternalProgram.NPM.demand();
        tab.look(
                Files.readString(
                        NodeScripts.installed().resolve("node_modules/axe-core/axe.min.js")));
    }

    /**
     * The rules of axe-core for accessible pages, which include the contrast of texts, on a desktop
     * and on a phone, in both color schemes.
     */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"1280, light", "1280, dark", "390, light", "390, dark"})
    void page_follows_the_rules_of_accessibility(int width, String scheme) throws IOException {
        loadAxe();
        server.label(PODS, namespace(), "first", "version", "1");
        server.label(PODS, namespace(), "first", "version", "2");
        tab.await(told("modified\\tpods\\t%s/first\\t"));
        tab.resize(width, 844);
        tab.prefer("prefers-color-scheme", scheme);
        try (ArmedFault _ = forbidden("for a test")) {
            tab.await("document.querySelectorAll('#findings li').length > 0");
            tab.await("document.querySelectorAll('#timeline .warn').length > 0");
            assertNothingViolated();
        }
        line.cut();
        tab.await("!document.getElementById('lost').hidden");
        assertNothingViolated();
    }

    private void assertNothingViolated() {
        assertThat(tab.look(VIOLATIONS).asString()).isEmpty();
    }
}
