package io.kubemirror.app;

import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.awaitility.Awaitility;
import org.springframework.context.ConfigurableApplicationContext;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Mistakes that new users make, and the page with the lines that kubemirror prints about them. */
final class ConfigurationMistakes {

    private static final String HEAD =
            """
            # Configuration errors

            What kubemirror prints about a mistake in its configuration: one line with the file, the
            property, and the remedy. The lines are those that a test has received; paths are
            shortened. Each begins with `kubemirror cannot start:`.
            """;

    private static final String UPSTREAM =
            "kubemirror:\n  upstream:\n    server: http://127.0.0.1:1\n";
    private static final String KUBECONFIG =
            "kubemirror:\n  resources: [pods]\n  upstream:\n    kubeconfig: DIRECTORY/kubeconfig\n";

    private final Path directory;
    private final Supplier<String> printed;

    /**
     * Creates a run of all mistakes.
     *
     * @param directory for files
     * @param printed returns what was printed since the last call
     */
    ConfigurationMistakes(Path directory, Supplier<String> printed) {
        this.directory = directory;
        this.printed = printed;
    }

    private record Mistake(String what, String file, String kubeconfig) {

        Mistake(String what, String file) {
            this(what, file, "");
        }
    }

    /** A table of the page. */
    private record Section(String title, List<Mistake> mistakes) {}

    String text() throws IOException {
        StringBuilder page = new StringBuilder(HEAD);
        for (Section section : sections()) {
            page.append("\n## ").append(section.title()).append("\n\n");
            page.append("| Mistake | Written | Line |\n| --- | --- | --- |\n");
            for (Mistake mistake : section.mistakes()) {
                page.append(
                        "| %s | %s | %s |\n"
                                .formatted(mistake.what(), written(mistake), cell(line(mistake))));
            }
        }
        return page + absent();
    }

    private static List<Section> sections() {
        return List.of(
                new Section(
                        "YAML",
                        List.of(
                                new Mistake("tab", "kubemirror:\n\tresources:\n"),
                                new Mistake(
                                        "wrong indentation",
                                        UPSTREAM
                                                + "  resources:\n"
                                                + "    - resource: pods\n"
                                                + "     page-size: 5\n"),
                                new Mistake(
                                        "two colons in a line",
                                        UPSTREAM + "  resources: pods: x\n"),
                                new Mistake(
                                        "property twice",
                                        setting("allow-secrets: true\n  allow-secrets: false")),
                                new Mistake(
                                        "quote that does not end",
                                        UPSTREAM + "  resources: ['pods]\n"),
                                new Mistake(
                                        "alias that stands for itself",
                                        UPSTREAM + "  resources: &all [pods, *all]\n"),
                                new Mistake(
                                        "list without dashes",
                                        UPSTREAM + "  resources:\n    resource: pods\n"))),
                new Section(
                        "Names",
                        List.of(
                                new Mistake("misspelled group", UPSTREAM + "  resuorces: [pods]\n"),
                                new Mistake(
                                        "misspelled property of a resource",
                                        resource("lable-selector: a=b")),
                                new Mistake(
                                        "misspelled property in a group",
                                        resource("history: {max-event: 9}")),
                                new Mistake(
                                        "property that does not exist",
                                        setting("defaults.ttl: 5m")),
                                new Mistake(
                                        "nothing to mirror",
                                        UPSTREAM.stripTrailing() + "\n  resources: []\n"))),
                new Section(
                        "Values",
                        List.of(
                                new Mistake("no duration", setting("history.span: soon")),
                                new Mistake("too short", setting("upstream.audit-interval: 20ms")),
                                new Mistake("negative", resource("page-size: -1")),
                                new Mistake("no number", setting("connections.max: lots")),
                                new Mistake("no size", setting("history.max-bytes: lots")),
                                new Mistake(
                                        "not true or false",
                                        setting("allow-unauthenticated: perhaps")),
                                new Mistake(
                                        "none of the choices",
                                        setting("pass-through.mode: always")),
                                new Mistake(
                                        "no URL",
                                        """
                                        kubemirror:
                                          resources: [pods]
                                          upstream.server: 10.0.0.1:6443
                                        """),
                                new Mistake(
                                        "port that is no number",
                                        UPSTREAM + "  resources: [pods]\nserver.port: http\n"),
                                new Mistake(
                                        "settings that contradict each other",
                                        setting("defaults.on-sync-timeout: exit")))),
                new Section(
                        "Resources",
                        List.of(
                                new Mistake(
                                        "kind in place of a plural",
                                        UPSTREAM + "  resources: [Pod]\n"),
                                new Mistake(
                                        "same resource twice",
                                        UPSTREAM + "  resources: [pods, pods]\n"),
                                new Mistake("secrets", UPSTREAM + "  resources: [secrets]\n"),
                                new Mistake("selector", resource("label-selector: 'a in ('")),
                                new Mistake(
                                        "selector as a map", resource("label-selector: {app: db}")),
                                new Mistake("namespace", resource("namespaces: [Default]")))),
                new Section(
                        "Access",
                        List.of(
                                new Mistake(
                                        "open to the network",
                                        UPSTREAM
                                                + "  resources: [pods]\nserver.address: 0.0.0.0\n"),
                                new Mistake(
                                        "token file is not set",
                                        setting("access.authentication: token-file")),
                                new Mistake(
                                        "the identity of kubemirror for the network",
                                        UPSTREAM
                                                + "  resources: [pods]\n"
                                                + "  pass-through.mode: own\n"
                                                + "  allow-unauthenticated: true\n"
                                                + "server.address: 0.0.0.0\n"))),
                new Section(
                        "Kubeconfig",
                        List.of(
                                new Mistake("file that does not exist", KUBECONFIG),
                                new Mistake("not YAML", KUBECONFIG, "clusters: [\n"),
                                new Mistake(
                                        "context that does not exist",
                                        KUBECONFIG + "    context: prod\n",
                                        kubeconfig("{}")),
                                new Mistake(
                                        "exec plugin that is not installed",
                                        KUBECONFIG,
                                        kubeconfig(
                                                "{exec: {command: cloud-credentials, apiVersion:"
                                                        + " client.authentication.k8s.io/v1,"
                                                        + " installHint: 'Get it from"
                                                        + " https://cloud.example.com/cli'}}")),
                                new Mistake(
                                        "certificate without its key",
                                        KUBECONFIG,
                                        kubeconfig("{client-certificate-data: YQ==}")))));
    }

    private static String resource(String setting) {
        return UPSTREAM + "  resources:\n    - resource: pods\n      " + setting + "\n";
    }

    private static String setting(String setting) {
        return UPSTREAM + "  resources: [pods]\n  " + setting + "\n";
    }

    private static String kubeconfig(String user) {
        return """
        current-context: test
        contexts: [{name: test, context: {cluster: c, user: u}}]
        clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
        users: [{name: u, user: %s}]
        """
                .formatted(user);
    }

    /** Starts the application, and returns the only line about the mistake. */
    private String line(Mistake mistake) throws IOException {
        Path file = directory.resolve("application.yaml");
        Files.writeString(file, mistake.file().replace("DIRECTORY", directory.toString()));
        Path kubeconfig = directory.resolve("kubeconfig");
        Files.deleteIfExists(kubeconfig);
        if (!mistake.kubeconfig().isEmpty()) {
            Files.writeString(kubeconfig, mistake.kubeconfig());
        }
        String _ = printed.get();
        try (ConfigurableApplicationContext started =
                ApplicationLauncher.fromFiles(directory + "/")) {
            throw new IllegalStateException(mistake + " started " + started);
        } catch (IllegalStateException accepted) {
            if (String.valueOf(accepted.getMessage()).startsWith("Mistake")) {
                throw accepted;
            }
        } catch (RuntimeException _) {
            // Boot has reported it.
        }
        List<String> lines =
                printed.get().lines().filter(line -> !line.contains(" INFO ")).toList();
        if (lines.size() != 1) {
            throw new IllegalStateException(mistake + " is reported in " + lines);
        }
        return lines.getFirst()
                .replaceFirst(".*kubemirror cannot start: ", "")
                .replace(directory.toString(), "config");
    }

    /** Returns the part of the file that has the mistake. */
    private static String written(Mistake mistake) {
        String shown = mistake.kubeconfig().isEmpty() ? mistake.file() : mistake.kubeconfig();
        String part =
                shown.replace(UPSTREAM, "")
                        .replace("  resources: [pods]\n", "")
                        .replace("kubemirror:\n", "")
                        .replace("\t", "→");
        if (part.contains("\nusers:")) {
            part = part.substring(part.indexOf("\nusers:") + 1);
        }
        return part.isBlank()
                ? ""
                : "<pre>" + cell(part.stripTrailing()).replace("\n", "<br>") + "</pre>";
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;");
    }

    /** What only the API server can tell is no error of the configuration. */
    private String absent() {
        try (ScriptedApiServer server = ScriptedApiServer.create();
                ConfigurableApplicationContext kubemirror =
                        ApplicationLauncher.with(
                                "kubemirror.upstream.server=" + server.url(),
                                "kubemirror.resources=deploymets.apps")) {
            String _ = kubemirror.getId();
            String line =
                    Awaitility.await()
                            .atMost(WaitLimit.GENEROUS)
                            .until(this::absentLine, Optional::isPresent)
                            .orElseThrow();
            return """

            ## A resource that the API server does not have

            It may be installed later, so kubemirror starts, and looks for it again. It serves the
            other resources. Its health is `DEGRADED` until it has all of them, and the log, health,
            and `kubemirror diagnose` have this line:

            ```
            %s
            ```
            """
                    .formatted(
                            line.replaceFirst("^\\S+ +", "")
                                    .replaceAll("in [0-9.]+ ?m?s", "in 30 s"));
        }
    }

    private Optional<String> absentLine() {
        return printed.get()
                .lines()
                .filter(line -> line.contains("does not have this resource"))
                .findFirst();
    }
}
