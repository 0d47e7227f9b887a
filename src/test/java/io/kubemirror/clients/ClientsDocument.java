package io.kubemirror.clients;

import io.kubemirror.testground.Json;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The table of the clients, as Markdown.
 *
 * <p>It is made of what the tests are made of, which fail unless what it says is true. Versions are
 * those that the build demands, so that it is the same on every machine.
 */
final class ClientsDocument {

    private static final String INSTALLED = "the installed one";

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
                # Clients that work unmodified

                <!-- Written by the tests: mvn test -Dtest=ClientsDocumentTest -Dclients.write=true -->

                Each of these clients reads a kubemirror that mirrors a genuine API server. Nothing
                is configured but the address, and what a client's documentation tells to set.
                """);
    }

    private void informers() {
        text.append(
                """

                ## Informers

                They see pods come, change and go; then their connections break, kubemirror restarts
                and has forgotten the past, and at last more changes than it remembers while nobody
                watches, so that their cursors are worth a 410. After each of these the cache and the
                events of every client tell the truth to the last revision, and it goes on watching.

                | Client | Version | Reads by | Additions, changes, deletions | After a break | After a restart | After a 410 |
                | --- | --- | --- | --- | --- | --- | --- |
                """);
        for (Member member : Member.values()) {
            String after = member.overlooksDeletions() ? "true but for deletions (1)" : "true";
            String gone = member.resumes() ? after : "never gets one, begins anew (1)";
            row(title(member), version(member), member.mode(), "all seen", after, after, gone);
        }
        text.append(
                """

                (1) After a break it asks for all objects again and keeps those that do not come: it
                never learns what was deleted meanwhile. It is the same when it reads the API server,
                which a test shows.

                fabric8 asks for a WebSocket first. kubemirror serves none: it answers with nothing,
                at once, and the client goes on with an ordinary watch. Both servers send the same
                bookmarks, which a test shows, but `watch()` tells its user of them only when it has
                gone on so: the option that it adds for itself to the WebSocket looks like its
                user's own to the watch that follows. A handler must ignore `Action.BOOKMARK`, as
                behind every proxy without WebSocket. Informers are not concerned.
                """);
    }

    private static String title(Member member) {
        return switch (member) {
            case FABRIC8_WEB_SOCKET, FABRIC8_WATCH_LIST -> "fabric8 Kubernetes client";
            case JAVA -> "official Java client";
            case JAVA_SCRIPT -> "official JavaScript client";
            case BROWSER -> "Chromium, headless";
        };
    }

    private static String version(Member member) {
        return switch (member) {
            case FABRIC8_WEB_SOCKET, FABRIC8_WATCH_LIST -> property("fabric8-client.version");
            case JAVA -> property("client-java.version");
            case JAVA_SCRIPT ->
                    Json.parse(read(JavaScriptInformer.LOCK))
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

                ## A browser's EventSource

                The connection breaks four times in the middle of an event, behind its id, while
                changes go on. The browser reconnects by itself with `Last-Event-ID`, and the page
                sees each event exactly once and in order.
                """);
    }

    private void kubectl() {
        text.append(
                """

                ## kubectl

                It is the installed one. These commands print word for word what they print of the
                API server:

                """);
        KubectlTest.commands()
                .forEach(command -> text.append("- `kubectl ").append(command).append("`\n"));
        text.append(
                """

                And these do what they are for:

                | Command | Seen |
                | --- | --- |
                """);
        row("`get pods`, `-o wide`, `--show-labels`", "the columns that people know");
        row("`get pod nobody`", "`pods \"nobody\" not found`");
        row("`api-resources`", "what is mirrored, and nothing else");
        row("`get pods --chunk-size=2`", "five pods in three requests");
        row(
                "`get pods -w`, `get pod a -w`",
                "each event; ends with kubemirror, and can be repeated");
        row("`wait --for=condition=Ready`", "ends when the condition holds");
        row(
                "`wait --for=delete`, which is client-go's informer",
                "goes on through a restart of kubemirror, and through a 410");
    }

    private void row(String... cells) {
        for (String cell : cells) {
            text.append("| ").append(cell).append(' ');
        }
        text.append("|\n");
    }
}
