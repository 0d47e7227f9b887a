package io.kubemirror.programs;

import io.kubemirror.testing.GeneratedPage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Renders the section about programs as Markdown, and the file with the requests of each, which are
 * measured.
 */
final class ProgramsDocument {

    /** What each program asks of an API server. */
    static final GeneratedPage REQUESTS =
            new GeneratedPage("requests", Path.of("src", "test", "programs", "requests.md"));

    private ProgramsDocument() {}

    /**
     * What an API server has to answer.
     *
     * @param direct if the program asks it directly
     * @param mirrored if the program asks kubemirror
     */
    record Measurement(RequestCounts direct, RequestCounts mirrored) {}

    /** Reads the measurements of the file as it is. */
    static Map<Program, Measurement> measurements() throws IOException {
        List<String> lines = Files.readAllLines(REQUESTS.file());
        Map<Program, Measurement> found = new EnumMap<>(Program.class);
        for (Program program : Program.values()) {
            lines.stream()
                    .filter(line -> line.startsWith(program.description()))
                    .map(line -> line.substring(program.description().length()))
                    .forEach(cells -> found.put(program, measurement(cells)));
        }
        return found;
    }

    private static Measurement measurement(String cells) {
        int middle = cells.indexOf(" | ");
        return new Measurement(
                RequestCounts.parse(cells.substring(0, middle).strip()),
                RequestCounts.parse(cells.substring(middle + 3).replace("|", "").strip()));
    }

    static String section() throws IOException {
        return """
        With [pass-through](pass-through.md), each of these programs runs unmodified when the one setting
        that names its API server names kubemirror instead. The tests run each directly at a real API
        server, and through a kubemirror that mirrors it. The programs print the same.

        | Program | Setting | What it does |
        | --- | --- | --- |
        %s
        (1) The API server of the tests has neither kubelets nor an authorizer, so a scripted
        server in front of it answers these requests, for both runs.

        Writes, subresources, and types that are not mirrored, such as leases and events, are left to
        the API server. The tests [count](../test/programs/requests.md) these requests. kubemirror
        itself lists and watches each mirrored type once, and lists what is left after a
        deletecollection.

        The kubemirror of the tests is a sidecar:

        ```yaml
        kubemirror:
          pass-through:
            mode: own
            own-verbs: [get, list, watch, create, update, patch, delete, deletecollection, post, put, exec, portforward]
          resources: [%s]
        ```

        `kubeconfig.yaml`, for programs that read a kubeconfig:

        ```yaml
        %s```

        With `mode: client`, programs send tokens of their own, kubectl, client-go, and what is built
        on it only by [TLS](security.md).
        """
                .formatted(
                        Arrays.stream(Program.values())
                                .map(program -> program.description() + "\n")
                                .collect(Collectors.joining()),
                        String.join(", ", ProgramFixture.MIRRORED),
                        Files.readString(Path.of("src", "test", "programs", "kubeconfig.yaml")));
    }

    static String requests(Map<Program, Measurement> measurements) {
        return """
        # Requests of programs

        <!-- Written by the tests: mvn test -Dtest=ProgramsTest -Drequests.write=true -->

        What an API server has to answer when a program asks it directly, and when the program asks
        kubemirror. A relay counts it. Requests for discovery, OpenAPI, and the version count once
        each, because their number depends on the version of the program. For the same reason, the
        tests of another version compare the kinds of requests only.

        | Program | Setting | What it does | API server, directly | API server, through kubemirror |
        | --- | --- | --- | --- | --- |
        %s\
        """
                .formatted(
                        measurements.entrySet().stream()
                                .map(ProgramsDocument::row)
                                .collect(Collectors.joining()));
    }

    private static String row(Map.Entry<Program, Measurement> row) {
        return "%s %s | %s |\n"
                .formatted(
                        row.getKey().description(),
                        row.getValue().direct().text(),
                        row.getValue().mirrored().text());
    }
}
