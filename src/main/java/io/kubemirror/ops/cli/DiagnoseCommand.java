package io.kubemirror.ops.cli;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The command {@code diagnose}: reads the diagnosis of a running kubemirror, tests its API, prints
 * a report, and returns an exit code for scripts. It does not start Spring, so it is quick.
 *
 * <p>Rejected: a script with {@code curl}, because the image has no shell; and picocli, for six
 * options.
 */
public final class DiagnoseCommand {

    private static final int WELL = 0;
    private static final int NOT_READY = 1;
    private static final int USAGE = 2;
    private static final int SILENT = 3;
    private static final int UNSERVED = 7;
    private static final int OTHER = 8;

    /** The exit codes by kind of error. */
    private static final Map<String, Integer> CODES =
            Map.of("unreachable", 4, "denied", 5, "not-synchronised", 6);

    private final DiagnoseOptions options;
    private final DiagnoseClient client;
    private final PrintStream out;

    private DiagnoseCommand(DiagnoseOptions options, DiagnoseClient client, PrintStream out) {
        this.options = options;
        this.client = client;
        this.out = out;
    }

    /**
     * Runs the command.
     *
     * @param arguments the options
     * @param out receives the report
     * @return the exit code
     */
    public static int run(List<String> arguments, PrintStream out) {
        try {
            DiagnoseOptions options = DiagnoseOptions.read(arguments);
            if (options.help()) {
                out.print(DiagnoseOptions.USAGE);
                return WELL;
            }
            try (DiagnoseClient client = DiagnoseClient.as(options)) {
                return new DiagnoseCommand(options, client, out).run();
            }
        } catch (IllegalArgumentException | IllegalStateException | IOException wrong) {
            out.println("kubemirror diagnose: " + wrong.getMessage());
            out.print(DiagnoseOptions.USAGE);
            return USAGE;
        }
    }

    private int run() {
        if (options.quiet()) {
            return isReady() ? WELL : NOT_READY;
        }
        try {
            String path = "/actuator/mirrors";
            HttpResponse<String> answer =
                    get(options.quick() ? path : path + "?objects=true&watches=true");
            if (answer.statusCode() != 200) {
                String line = answer.body().strip().lines().findFirst().orElse("");
                out.printf(
                        "kubemirror at %s returned an error: HTTP %d %.200s%n",
                        options.url(), answer.statusCode(), line);
                return SILENT;
            }
            return report(JsonMapper.shared().readTree(answer.body()));
        } catch (IOException | JacksonException silent) {
            out.printf(
                    "kubemirror at %s is not reachable: %s%n",
                    options.url(), DiagnoseClient.why(silent));
            return SILENT;
        }
    }

    private boolean isReady() {
        try {
            return get("/actuator/health/readiness").statusCode() == 200;
        } catch (IOException silent) {
            return false;
        }
    }

    private HttpResponse<String> get(String path) throws IOException {
        return client.get(URI.create(options.url() + path), BodyHandlers.ofString());
    }

    private int report(JsonNode diagnosis) {
        List<ListProbe> trials = options.quick() ? List.of() : trials(diagnosis);
        new DiagnosisReport(diagnosis, out).print(options.url(), trials);
        return code(diagnosis, trials);
    }

    private List<ListProbe> trials(JsonNode diagnosis) {
        String api = api(URI.create(diagnosis.at("/program/api").asString()));
        List<ListProbe> trials = new ArrayList<>();
        for (JsonNode mirror : diagnosis.path("mirrors")) {
            String path = mirror.path("path").asString("");
            if (!path.isEmpty() && mirror.at("/state/synced").asBoolean()) {
                trials.add(
                        ListProbe.of(
                                mirror.path("name").asString(), URI.create(api + path), client));
            }
        }
        return trials;
    }

    /** Replaces a wildcard address by the host of the management port. */
    private String api(URI reported) {
        boolean all = reported.getHost().equals("0.0.0.0") || reported.getHost().equals("[::]");
        String host = all ? options.url().getHost() : reported.getHost();
        return reported.getScheme() + "://" + host + ":" + reported.getPort();
    }

    private static int code(JsonNode diagnosis, List<ListProbe> trials) {
        int code = trials.stream().allMatch(ListProbe::answered) ? Integer.MAX_VALUE : UNSERVED;
        for (JsonNode finding : diagnosis.path("findings")) {
            code = Math.min(code, code(finding));
        }
        return code == Integer.MAX_VALUE ? WELL : code;
    }

    private static int code(JsonNode finding) {
        return switch (finding.path("severity").asString("")) {
            case "error" -> CODES.getOrDefault(finding.path("kind").asString(), OTHER);
            case "note" -> Integer.MAX_VALUE;
            default -> OTHER;
        };
    }
}
