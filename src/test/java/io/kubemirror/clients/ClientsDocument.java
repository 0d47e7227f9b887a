package io.kubemirror.clients;

import io.kubemirror.testing.JsonTrees;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Renders the section about clients as Markdown.
 *
 * <p>It is generated from the data of the tests, which fail unless the section is true. Versions
 * are those of the build, so the section is the same on every machine.
 */
final class ClientsDocument {

    private static final String INSTALLED = "as installed";

    private final StringBuilder text = new StringBuilder();

    private ClientsDocument() {}

    static String text() {
        ClientsDocument document = new ClientsDocument();
        document.introduction();
        document.informers();
        document.browser();
        document.kubectl();
        return document.text.toString();
    }

    private void introduction() {
        text.append(
                """
                The tests run these clients against a kubemirror that mirrors a real API server. Only the
                address is configured. Other clients work if they speak JSON with an API server. Those that
                accept only protobuf or CBOR get 406, or with [pass-through](pass-through.md) the answer of
                the API server.
                """);
    }

    private void informers() {
        text.append(
                """

                ### Informers

                Pods are created, changed, and deleted. Then connections break, kubemirror restarts with
                an empty history, and more changes happen than the history holds while no client is
                connected (410). After each step, the cache and the events of every client are correct up
                to the last revision, and the client continues to watch.

                | Client | Version | Reads with | Result |
                | --- | --- | --- | --- |
                """);
        for (ObservedInformer observedInformer : ObservedInformer.values()) {
            row(
                    title(observedInformer),
                    version(observedInformer),
                    observedInformer.mode(),
                    result(observedInformer));
        }
        text.append(
                """

                (1) After a lost connection, this client requests all objects again and keeps those that
                do not arrive, with the API server, too.

                Behind a proxy that does not pass WebSockets on, fabric8 falls back to HTTP, and its
                `watch()` then reports bookmarks. Informers are not affected.
                """);
    }

    private static String result(ObservedInformer observedInformer) {
        String missed = observedInformer.overlooksDeletions() ? ", except for deletions (1)" : "";
        String expired = observedInformer.resumes() ? "" : "; never gets a 410";
        return "correct" + missed + expired;
    }

    private static String title(ObservedInformer observedInformer) {
        return switch (observedInformer) {
            case FABRIC8_WEB_SOCKET, FABRIC8_WATCH_LIST -> "fabric8 Kubernetes client";
            case JAVA -> "official Java client";
            case JAVA_SCRIPT -> "official JavaScript client";
            case BROWSER -> "Chromium, headless";
        };
    }

    private static String version(ObservedInformer observedInformer) {
        return switch (observedInformer) {
            case FABRIC8_WEB_SOCKET, FABRIC8_WATCH_LIST -> property("fabric8-client.version");
            case JAVA -> property("client-java.version");
            case JAVA_SCRIPT ->
                    JsonTrees.parse(read(NodeScripts.LOCK))
                            .path("packages")
                            .path("node_modules/@kubernetes/client-node")
                            .path("version")
                            .asString();
            case BROWSER -> INSTALLED;
        };
    }

    private static String property(String name) {
        Matcher matcher =
                Pattern.compile("<" + name + ">([^<]+)<").matcher(read(Path.of("pom.xml")));
        if (!matcher.find()) {
            throw new IllegalStateException("no " + name);
        }
        return matcher.group(1);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void browser() {
        text.append(
                """

                ### A browser's EventSource

                The connection breaks four times in the middle of an event. The browser reconnects with
                `Last-Event-ID`, and the page receives each event exactly once and in order.
                """);
    }

    private void kubectl() {
        text.append(
                """

                ### Commands of kubectl

                These commands of the installed version print exactly what they print for the API server:
                """);
        text.append(
                KubectlTest.commands().stream()
                        .map(command -> "`" + command + "`")
                        .collect(Collectors.joining(", ", "", ".\n")));
        text.append(
                """

                These commands behave as expected:

                | Command | Result |
                | --- | --- |
                """);
        row("`get pods`, `-o wide`, `--show-labels`", "the columns of kubectl");
        row("`get pod nobody`", "`pods \"nobody\" not found`");
        row("`api-resources`", "exactly the mirrored resources");
        row("`get pods --chunk-size=2`", "five pods in three requests");
        row(
                "`get pods -w`, `get pod a -w`",
                "each event; ends when kubemirror stops, and can be repeated");
        row("`wait --for=condition=Ready`", "ends when the condition holds");
        row(
                "`wait --for=delete`, which is client-go's informer",
                "continues after a restart of kubemirror, and after a 410");
    }

    private void row(String... cells) {
        for (String cell : cells) {
            text.append("| ").append(cell).append(' ');
        }
        text.append("|\n");
    }
}
