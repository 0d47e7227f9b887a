package io.kubemirror.clients;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.scripted.ArmedFault;
import io.kubemirror.testing.scripted.ReceivedRequest;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.ServerFault;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Tests what web pages can do in a real browser if requests are passed on with kubemirror's own
 * identity, so that no credentials are needed: none of their requests that could have an effect
 * reaches the API server.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CrossSiteTest {

    private static final Path SCRIPT = Path.of("src", "test", "javascript", "cross-site.js");

    private final ScriptedApiServer server = ScriptedApiServer.create();
    private final HttpServer page;
    private final ConfigurableApplicationContext kubemirror;
    private final Chromium chromium;

    CrossSiteTest() throws IOException {
        ExternalProgram.CHROMIUM.demand();
        server.create(pod("a", "x"));
        page = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        page.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        page.createContext("/page", CrossSiteTest::show);
        page.createContext("/bounce", CrossSiteTest::redirect);
        page.start();
        kubemirror =
                ApplicationLauncher.mirroring(
                        server.url(),
                        "pods",
                        "kubemirror.allowed-hosts=added.example",
                        "kubemirror.pass-through.mode=own",
                        "kubemirror.pass-through.own-verbs=get,list,watch,create,update,patch,"
                                + "delete,deletecollection,proxy");
        chromium = new Chromium("--host-resolver-rules=MAP *.example 127.0.0.1");
    }

    @AfterAll
    void close() {
        chromium.close();
        kubemirror.close();
        page.stop(0);
        server.close();
    }

    /** A page of another site, of another port of this host, and of a host that may read. */
    @ParameterizedTest
    @ValueSource(strings = {"evil.example", "localhost", "127.0.0.1", "added.example"})
    void page_of_another_origin_changes_nothing(String host) throws IOException {
        int pages = page.getAddress().getPort();
        try (BrowserTab tab = new BrowserTab(chromium)) {
            tab.open(URI.create("http://" + host + ":" + pages + "/page"));
            tab.await("document.title === 'A page'");

            attack(tab, served().toString(), "http://" + host + ":" + pages + "/bounce");
        }
    }

    /** The API server relays pages of pods, which are of no origin then. */
    @Test
    void page_of_a_pod_has_no_origin_and_runs_no_script() {
        String path = "/api/v1/namespaces/a/pods/x/proxy/page";
        String scripted = "<title>A page</title><body><script>document.title = 'script'</script>";
        try (ArmedFault _ =
                        server.faultUntilWithdrawn(
                                request -> request.path().equals(path),
                                ServerFault.respond(200, "text/html", scripted));
                BrowserTab tab = new BrowserTab(chromium)) {
            tab.open(served().resolve(path));
            Awaitility.await()
                    .untilAsserted(
                            () ->
                                    assertThat(tab.look("document.title + document.readyState"))
                                            .hasToString("\"A pagecomplete\""));

            assertThat(tab.look("origin").asString()).isEqualTo("null");
        }
    }

    /** Its own name leads to kubemirror by now (DNS rebinding). */
    @Test
    void page_of_a_name_that_leads_to_kubemirror_changes_nothing() throws IOException {
        try (TcpRelay line = new TcpRelay();
                BrowserTab tab = new BrowserTab(chromium)) {
            String own = "http://evil.example:" + line.url().getPort();
            line.lead(page.getAddress().getPort());
            tab.open(URI.create(own + "/page"));
            tab.await("document.title === 'A page'");
            line.cut();
            line.lead(served().getPort());

            attack(tab, own, own + "/bounce");
        }
    }

    /** What reaches a server without such checks shows that the browser tries. */
    @Test
    void page_changes_an_api_server_that_does_not_ask_for_credentials() throws IOException {
        int pages = page.getAddress().getPort();
        try (ScriptedApiServer open = ScriptedApiServer.create();
                BrowserTab tab = new BrowserTab(chromium)) {
            tab.open(URI.create("http://evil.example:" + pages + "/page"));
            tab.await("document.title === 'A page'");
            tab.look(Files.readString(SCRIPT));
            tab.look("attack('%s', 'http://evil.example:%d/bounce')".formatted(open.url(), pages));

            assertThat(open.requests().all())
                    .extracting(ReceivedRequest::method)
                    .contains("GET", "POST", "OPTIONS");
            assertThat(open.requests().all())
                    .extracting(request -> request.header("Content-Type").replaceFirst(";.*", ""))
                    .contains(
                            "",
                            "text/plain",
                            "text/ping",
                            "application/x-www-form-urlencoded",
                            "multipart/form-data");
            assertThat(open.requests().all())
                    .extracting(request -> request.header("Origin"))
                    .contains("null", "http://evil.example:" + pages);
            assertThat(open.requests().all())
                    .extracting(request -> request.header("Upgrade"))
                    .contains("websocket");
            assertThat(open.objects(PODS)).isNotEmpty();
        }
    }

    private void attack(BrowserTab tab, String target, String bounce) throws IOException {
        List<ReceivedRequest> before = server.requests().all(CrossSiteTest::hasEffect);
        tab.look(Files.readString(SCRIPT));

        int tries = tab.look("attack('%s', '%s')".formatted(target, bounce)).asInt();

        assertThat(tries).isGreaterThan(100);
        assertThat(tab.requests())
                .filteredOn(url -> url.startsWith(target + "/api/v1/namespaces/a/pods"))
                .as("the browser has sent the requests")
                .hasSizeGreaterThan(50);
        assertThat(server.requests().all(CrossSiteTest::hasEffect)).isEqualTo(before);
    }

    private static boolean hasEffect(ReceivedRequest request) {
        return !request.method().equals("GET") || request.path().contains("/pods/x/");
    }

    private URI served() {
        return ApplicationLauncher.url(kubemirror, "local.server.port");
    }

    private static void show(HttpExchange exchange) throws IOException {
        byte[] page = "<!DOCTYPE html><title>A page</title><body>".getBytes(UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/html");
        exchange.sendResponseHeaders(200, page.length);
        exchange.getResponseBody().write(page);
        exchange.close();
    }

    /** Sends the same request elsewhere. */
    private static void redirect(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        String to = exchange.getRequestURI().getRawQuery().replaceFirst("^to=", "");
        exchange.getResponseHeaders().set("Location", URLDecoder.decode(to, UTF_8));
        exchange.getResponseHeaders().set("Access-Control-Allow-Origin", "*");
        exchange.getResponseHeaders().set("Access-Control-Allow-Methods", "*");
        exchange.getResponseHeaders().set("Access-Control-Allow-Headers", "*");
        boolean preflight = exchange.getRequestMethod().equals("OPTIONS");
        exchange.sendResponseHeaders(preflight ? 204 : 307, -1);
        exchange.close();
    }
}
