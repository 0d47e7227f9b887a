package io.kubemirror.app;

import module java.base;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringApplication.AbandonedRunException;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.support.GenericApplicationContext;

import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** The words of the command line that start no server (operations.md). */
final class CommandLine {

    /** Done, and no problem was found. */
    static final int WELL = 0;

    /** The configuration is not valid, the process is not ready, or it has problems. */
    static final int PROBLEM = 1;

    /** A word is unknown. */
    static final int USAGE = 2;

    /** The process does not answer. */
    static final int SILENT = 3;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Clients choose their User-Agent, and a terminal obeys control characters. */
    private static final ObjectWriter ASCII =
            JsonMapper.shared()
                    .writerWithDefaultPrettyPrinter()
                    .with(JsonWriteFeature.ESCAPE_NON_ASCII);

    static final String HELP =
            """
            Usage: kubemirror [--PROPERTY=VALUE ...]
                   kubemirror check [--no-files] [--PROPERTY=VALUE ...]
                   kubemirror diagnose [URL]
                   kubemirror health [URL]

            Without a command, kubemirror serves until it is stopped.

              check      validates the configuration as a start does; with --no-files,
                         without kubeconfig, certificates, and keys
              diagnose   prints what a running kubemirror says about itself, problems first
              health     asks a running kubemirror whether it is ready
              --version  prints the versions of kubemirror and Java
              --help     prints this

            URL names the management port, by default http://127.0.0.1:8002.
            """;

    /** The properties that other programs have options for. */
    private static final Map<String, String> OPTIONS =
            Map.of(
                    "--port", "--server.port",
                    "--config", "--spring.config.additional-location",
                    "-c", "--spring.config.additional-location",
                    "--kubeconfig", "--kubemirror.upstream.kubeconfig",
                    "--resources", "--kubemirror.resources",
                    "--namespace", "--kubemirror.resources[0].namespaces",
                    "-n", "--kubemirror.resources[0].namespaces");

    private final PrintStream out;
    private final PrintStream err;

    CommandLine(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /**
     * Runs a command.
     *
     * @return the exit code
     */
    int run(List<String> words) {
        String command = words.getFirst();
        List<String> rest = words.subList(1, words.size());
        boolean noFiles = rest.indexOf("--no-files") == 0;
        List<String> properties = rest.subList(noFiles ? 1 : 0, rest.size());
        if (command.equals("check")
                && properties.stream().allMatch(KubeMirrorApplication::isProperty)) {
            return check(properties, noFiles ? CommandLine::abandonUnread : CommandLine::abandon);
        }
        String url = rest.isEmpty() ? "http://127.0.0.1:8002" : rest.getFirst();
        return switch (command + " " + rest.size()) {
            case "diagnose 0", "diagnose 1" -> diagnose(url);
            case "health 0", "health 1" -> health(url);
            case "--version 0" -> print(version());
            case "--help 0" -> print(HELP.stripTrailing());
            default -> refuse(words);
        };
    }

    private int refuse(List<String> words) {
        String written = String.join(" ", words).replaceAll("=\\S*", "");
        String remedy =
                words.stream()
                        .map(word -> OPTIONS.getOrDefault(word.replaceFirst("=.*", ""), word))
                        .filter(word -> word.matches("--[^.=]+\\.[^=]+"))
                        .findFirst()
                        .map("use %s=VALUE"::formatted)
                        .orElse("--help shows what it takes");
        err.println("kubemirror: cannot read '" + written + "'; " + remedy);
        return USAGE;
    }

    private int print(String text) {
        out.println(text);
        return WELL;
    }

    /** A start that is abandoned before it opens a port, so that it accepts what a start does. */
    private int check(
            List<String> properties, ApplicationContextInitializer<GenericApplicationContext> end) {
        SpringApplication application = new SpringApplication(KubeMirrorApplication.class);
        application.setRegisterShutdownHook(false);
        application.setDefaultProperties(Map.of("logging.level.root", "warn"));
        application.addInitializers(end);
        try {
            application.run(properties.toArray(String[]::new));
            throw new IllegalStateException("the start was not abandoned");
        } catch (AbandonedRunException _) {
            return print("The configuration is valid.");
        } catch (RuntimeException _) {
            // Boot has reported it.
            return PROBLEM;
        }
    }

    private static void abandon(GenericApplicationContext context) {
        context.registerBean(
                SmartInitializingSingleton.class,
                () ->
                        () -> {
                            throw new AbandonedRunException();
                        });
    }

    /** Before there are beans, which read files. */
    private static void abandonUnread(GenericApplicationContext context) {
        OperationsConfiguration.check(context.getEnvironment());
        throw new AbandonedRunException();
    }

    private int health(String url) {
        try {
            return get(url, "/actuator/health/readiness").statusCode() == 200 ? WELL : PROBLEM;
        } catch (IOException _) {
            return PROBLEM;
        }
    }

    private int diagnose(String url) {
        try {
            HttpResponse<String> answer = get(url, "/actuator/mirrors");
            if (answer.statusCode() != 200) {
                String port = "; ask the management port (management.server.port, 8002 by default)";
                throw new IOException(
                        "HTTP " + answer.statusCode() + (answer.statusCode() == 404 ? port : ""));
            }
            JsonNode diagnosis = JsonMapper.shared().readTree(answer.body());
            out.println(ASCII.writeValueAsString(diagnosis));
            boolean well =
                    diagnosis
                            .path("findings")
                            .valueStream()
                            .allMatch(one -> one.path("severity").asString("").equals("note"));
            return well ? WELL : PROBLEM;
        } catch (IOException | JacksonException unanswered) {
            String why = Objects.requireNonNullElse(unanswered.getMessage(), "cannot connect");
            err.printf("kubemirror at %s does not answer: %s%n", url, why);
            return SILENT;
        }
    }

    private static HttpResponse<String> get(String url, String path) throws IOException {
        try (HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
            URI uri = URI.create(url.replaceFirst("/$", "") + path);
            return client.send(
                    HttpRequest.newBuilder(uri).timeout(PATIENCE).build(), BodyHandlers.ofString());
        } catch (IllegalArgumentException wrong) {
            throw new IOException("it is not a URL such as http://127.0.0.1:8002", wrong);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
    }

    private static String version() {
        return "kubemirror %s (revision %s), Java %s"
                .formatted(
                        KubeMirrorApplication.built("version"),
                        KubeMirrorApplication.built("revision"),
                        Runtime.version());
    }
}
