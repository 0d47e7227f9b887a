package io.kubemirror.clients;

import module java.base;

import io.kubemirror.testing.GeneratedPage;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.Unchecked;

import org.junit.jupiter.api.Test;

/** The page about compatibility names the clients that are tested, in the versions of the build. */
class ClientsDocumentTest {

    private static final GeneratedPage PAGE = GeneratedPage.section("clients", "compatibility");

    /** Writes the table if {@code -Dclients.write=true} is set. */
    @Test
    void table_has_every_informer() throws IOException {
        StringBuilder rows =
                new StringBuilder(
                        """

                        | Client | Version | Reads with | Result |
                        | --- | --- | --- | --- |
                        """);
        for (ObservedInformer informer : ObservedInformer.values()) {
            rows.append(
                    "| %s | %s | %s | %s |\n"
                            .formatted(
                                    title(informer),
                                    version(informer),
                                    informer.mode(),
                                    result(informer)));
        }

        PAGE.assertHasSection(rows.toString());
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
            case BROWSER -> "as installed";
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
        return Unchecked.call(() -> Files.readString(file));
    }
}
