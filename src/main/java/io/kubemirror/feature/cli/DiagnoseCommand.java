package io.kubemirror.feature.cli;

import module java.base;

import io.kubemirror.app.config.FileFailure;
import io.kubemirror.model.PeriodicThread.Sleeper;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.util.Assert;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.DumperOptions.FlowStyle;
import org.yaml.snakeyaml.Yaml;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;

/**
 * The command {@code diagnose}: reads the diagnosis of a running kubemirror, tests its API, prints
 * both, and returns an exit code for scripts. It does not start Spring, so it is quick.
 */
@Command(
        name = "diagnose",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        optionListHeading = "%nOptions:%n",
        description = "Reports what a running kubemirror does, problems first.",
        exitCodeListHeading = "%nExit codes, the smallest that applies:%n",
        exitCodeList = {
            "0:no problem",
            "1:not ready, with --quiet",
            "2:invalid options",
            "3:kubemirror is not reachable, or refuses the request",
            "4:the API server is not reachable",
            "5:credentials are rejected, or a permission is missing",
            "6:a mirror has no complete state",
            "7:lists fail",
            "8:a lesser problem"
        })
public final class DiagnoseCommand implements Callable<Integer> {

    /** The arguments of the health check of a container, which {@link #checkReadiness} answers. */
    public static final List<String> HEALTH_CHECK = List.of("diagnose", "--quiet");

    private static final String DEFAULT_URL = "http://127.0.0.1:8002";

    private static final int WIDTH = 100;

    /** The interval of looks with {@code --watch}. */
    private static final Duration LOOK = Duration.ofSeconds(2);

    /** Clients choose their User-Agent, and a terminal obeys control characters. */
    private static final ObjectWriter ASCII =
            JsonMapper.shared()
                    .writerWithDefaultPrettyPrinter()
                    .with(JsonWriteFeature.ESCAPE_NON_ASCII);

    private static final int WELL = 0;
    private static final int NOT_READY = 1;
    private static final int SILENT = 3;
    private static final int OTHER = 8;

    /** The exit codes by kind of finding. */
    private static final Map<String, Integer> CODES =
            Map.of(
                    "unreachable", 4,
                    "credentials", 5,
                    "denied", 5,
                    "not-synchronized", 6,
                    "lists-fail", 7);

    @Option(
            names = "--url",
            paramLabel = "URL",
            defaultValue = DEFAULT_URL,
            description = "The management port, ${DEFAULT-VALUE} by default.")
    private String address = DEFAULT_URL;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "Bearer token. Requires https or loopback.")
    private @Nullable Path tokenFile;

    @Option(
            names = "--ca-file",
            paramLabel = "FILE",
            description = "Trusted CA certificates (PEM).")
    private @Nullable Path caFile;

    @Option(names = "--quick", description = "Skip the lists and the objects that change most.")
    private boolean quick;

    @Option(names = "--quiet", description = "Print nothing, only check readiness.")
    private boolean quiet;

    @Option(
            names = "--watch",
            description = "Then report again whenever the findings have changed.")
    private boolean watch;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "json prints one document; the default is for people.")
    private Output output = Output.TEXT;

    @Spec private @Nullable CommandSpec spec;

    private final Sleeper sleeper;

    /** The forms of a diagnosis. */
    private enum Output {
        TEXT,
        JSON
    }

    /** Creates the command; picocli sets its options. */
    public DiagnoseCommand() {
        this(Thread::sleep);
    }

    /**
     * Does the same.
     *
     * @param sleeper waits between two looks
     */
    DiagnoseCommand(Sleeper sleeper) {
        this.sleeper = sleeper;
    }

    /** Runs the command with the options that picocli has set. */
    @Override
    public Integer call() {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        try {
            URI url = url();
            if (tokenFile != null && url.getScheme().equals("http") && !isLoopback(url.getHost())) {
                throw new IllegalArgumentException(
                        "--token-file requires https or a loopback address");
            }
            try (DiagnoseClient client = DiagnoseClient.of(caFile, tokenFile)) {
                if (quiet) {
                    return readiness(client, url);
                }
                return watch
                        ? follow(client, url, line.getOut())
                        : report(client, url, line.getOut()).code();
            }
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(line, String.valueOf(wrong.getMessage()));
        }
    }

    /** Checks the readiness of the kubemirror on this host, without loading picocli. */
    public static int checkReadiness() throws IOException {
        try (DiagnoseClient client = DiagnoseClient.of(null, null)) {
            return readiness(client, URI.create(DEFAULT_URL));
        }
    }

    private static int readiness(DiagnoseClient client, URI url) {
        try {
            HttpResponse<String> answer = get(client, url, "/actuator/health/readiness");
            return answer.statusCode() == 200 ? WELL : NOT_READY;
        } catch (IOException silent) {
            return NOT_READY;
        }
    }

    /**
     * What has been reported.
     *
     * @param findings what decides whether there is news, without what changes all the time
     */
    private record Report(int code, String findings) {}

    /** Reports whenever the findings change, until the process ends. */
    private int follow(DiagnoseClient client, URI url, PrintWriter out) {
        Report last = report(client, url, out);
        try {
            while (true) {
                sleeper.sleep(LOOK);
                StringWriter text = new StringWriter();
                Report now = report(client, url, new PrintWriter(text));
                if (!now.equals(last)) {
                    out.print(text);
                    out.flush();
                }
                last = now;
            }
        } catch (InterruptedException _) {
            return last.code();
        }
    }

    private Report report(DiagnoseClient client, URI url, PrintWriter out) {
        try {
            String path = "/actuator/mirrors";
            HttpResponse<String> answer = get(client, url, quick ? path : path + "?objects=true");
            if (answer.statusCode() != 200) {
                String line = answer.body().strip().lines().findFirst().orElse("");
                String why = "HTTP %d %.200s".formatted(answer.statusCode(), line);
                return silent(url, "returned an error", why, out);
            }
            ObjectNode diagnosis = JsonMapper.shared().readValue(answer.body(), ObjectNode.class);
            if (!quick) {
                list(diagnosis, client, url);
            }
            Report report = new Report(code(diagnosis), findings(diagnosis));
            show(diagnosis, out);
            return report;
        } catch (IOException | JacksonException silent) {
            return silent(url, "is not reachable", DiagnoseClient.why(silent), out);
        }
    }

    private static Report silent(URI url, String what, String why, PrintWriter out) {
        out.printf("kubemirror at %s %s: %s%n", url, what, why);
        return new Report(SILENT, why);
    }

    /** Returns what a finding is about; its text may have the age of something. */
    private static String findings(JsonNode diagnosis) {
        return diagnosis
                .path("findings")
                .valueStream()
                .map(one -> one.path("severity") + " " + one.path("kind") + one.path("mirror"))
                .collect(Collectors.joining(","));
    }

    private static HttpResponse<String> get(DiagnoseClient client, URI url, String path)
            throws IOException {
        return client.get(URI.create(url + path), BodyHandlers.ofString());
    }

    private void show(ObjectNode diagnosis, PrintWriter out) {
        switch (output) {
            case TEXT -> print(diagnosis, out);
            case JSON -> out.println(ASCII.writeValueAsString(diagnosis));
        }
    }

    /** Lists one object of each mirror, and adds a finding for each failure. */
    private void list(ObjectNode diagnosis, DiagnoseClient client, URI url) {
        URI reported = URI.create(diagnosis.at("/program/api").asString(""));
        URI api = api(reported, url);
        if (tokenFile != null && !mayHaveToken(api, url)) {
            String text =
                    "no list was tested, because the token goes only to the host of --url, and only"
                            + " with https or on loopback; the API is at "
                            + api;
            add(diagnosis, "note", "not-listed", "", text);
            return;
        }
        for (JsonNode mirror : diagnosis.path("mirrors")) {
            String path = mirror.path("path").asString("");
            if (!path.isEmpty() && mirror.at("/state/synced").asBoolean()) {
                String list = api + path + (path.contains("?") ? "&" : "?") + "limit=1";
                list(diagnosis, client, URI.create(list), mirror.path("name").asString());
            }
        }
    }

    private static void list(ObjectNode diagnosis, DiagnoseClient client, URI list, String mirror) {
        try {
            int code = client.get(list, BodyHandlers.discarding()).statusCode();
            if (code != 200) {
                throw new IOException("HTTP " + code);
            }
        } catch (IOException unanswered) {
            String text = "list failed: " + DiagnoseClient.why(unanswered);
            add(diagnosis, "error", "lists-fail", mirror, text);
        }
    }

    /** The diagnosis says where the API is, which is not to decide who gets the token. */
    static boolean mayHaveToken(URI api, URI url) {
        boolean isLocal = isLoopback(api.getHost()) && isLoopback(url.getHost());
        return isLocal
                || (api.getScheme().equals("https")
                        && api.getHost().equalsIgnoreCase(url.getHost()));
    }

    private static void add(
            ObjectNode diagnosis, String severity, String kind, String mirror, String text) {
        diagnosis
                .withArray("findings")
                .addObject()
                .put("severity", severity)
                .put("kind", kind)
                .put("mirror", mirror)
                .put("text", text);
    }

    /**
     * Prints the findings, and then the rest of the document as YAML. Without control characters:
     * clients choose their User-Agent, and a terminal obeys them.
     */
    private static void print(ObjectNode diagnosis, PrintWriter out) {
        JsonNode findings = diagnosis.remove("findings");
        for (JsonNode finding : findings) {
            String severity = finding.path("severity").asString().toUpperCase(Locale.ROOT);
            String mirror = finding.path("mirror").asString("");
            String text = (mirror.isEmpty() ? "" : mirror + ": ") + finding.path("text").asString();
            line(severity, text, out);
            if (finding.has("action")) {
                line("", finding.path("action").asString(), out);
            }
        }
        if (findings.isEmpty()) {
            out.println("No problems found.");
        }
        out.println();
        DumperOptions form = new DumperOptions();
        form.setAllowUnicode(false);
        form.setDefaultFlowStyle(FlowStyle.BLOCK);
        form.setWidth(WIDTH);
        out.print(new Yaml(form).dump(JsonMapper.shared().convertValue(diagnosis, Map.class)));
        out.flush();
    }

    /** Prints a paragraph beside a word. */
    private static void line(String word, String text, PrintWriter out) {
        String margin = "%-8s ".formatted(word);
        StringBuilder line = new StringBuilder(margin);
        for (String next : text.replaceAll("[^ -~]", "?").split(" ", -1)) {
            if (line.length() > margin.length() && line.length() + next.length() > WIDTH) {
                out.println(line.toString().stripTrailing());
                line = new StringBuilder(" ".repeat(margin.length()));
            }
            line.append(next).append(' ');
        }
        out.println(line.toString().stripTrailing());
    }

    /** Replaces a wildcard address by the host of the management port. */
    private static URI api(URI reported, URI url) {
        boolean all = reported.getHost().equals("0.0.0.0") || reported.getHost().equals("[::]");
        String host = all ? url.getHost() : reported.getHost();
        return URI.create(reported.getScheme() + "://" + host + ":" + reported.getPort());
    }

    private URI url() {
        URI url =
                URI.create(
                        address.endsWith("/")
                                ? address.substring(0, address.length() - 1)
                                : address);
        if (url.getHost() == null || !Set.of("http", "https").contains(url.getScheme())) {
            throw new IllegalArgumentException(
                    "--url is not a URL; use a URL such as " + DEFAULT_URL);
        }
        return url;
    }

    /** Whether a host is loopback. Names are not resolved. */
    private static boolean isLoopback(String host) {
        boolean literal = host.startsWith("[") || host.matches("[0-9.]+");
        return host.equals("localhost")
                || (literal && InetAddress.ofLiteral(host).isLoopbackAddress());
    }

    /** Returns the smallest exit code of all findings; notes have none. */
    private static int code(JsonNode diagnosis) {
        return diagnosis
                .path("findings")
                .valueStream()
                .filter(finding -> !finding.path("severity").asString("").equals("note"))
                .map(finding -> CODES.getOrDefault(finding.path("kind").asString(), OTHER))
                .min(Integer::compare)
                .orElse(WELL);
    }

    /**
     * HTTP client for a running kubemirror, with the token and the certificates from the options.
     */
    static final class DiagnoseClient implements AutoCloseable {

        private static final Duration CONNECT = Duration.ofSeconds(3);
        private static final Duration ANSWER = Duration.ofSeconds(60);

        private final HttpClient client;
        private final @Nullable String token;

        private DiagnoseClient(HttpClient client, @Nullable String token) {
            this.client = client;
            this.token = token;
        }

        /**
         * Creates a client.
         *
         * @param caFile a PEM file with trusted certificates, null for those of the JVM
         * @param tokenFile a file with a bearer token, null for none
         * @throws IllegalArgumentException if a file cannot be read, or has something else; the
         *     message does not quote it
         */
        static DiagnoseClient of(@Nullable Path caFile, @Nullable Path tokenFile) {
            HttpClient.Builder client =
                    HttpClient.newBuilder()
                            .version(HttpClient.Version.HTTP_1_1)
                            .connectTimeout(CONNECT);
            if (caFile != null) {
                client.sslContext(trusting(caFile));
            }
            return new DiagnoseClient(client.build(), tokenFile == null ? null : token(tokenFile));
        }

        private static SSLContext trusting(Path file) {
            String certificates = read("--ca-file", file);
            try {
                // Boot would take those of the JVM.
                Assert.state(!certificates.isEmpty(), "empty");
                PemSslStoreDetails trusted = PemSslStoreDetails.forCertificate(certificates);
                return SslBundle.of(new PemSslStoreBundle(null, trusted)).createSslContext();
            } catch (IllegalStateException _) {
                throw new IllegalArgumentException(
                        "--ca-file " + file + " has no certificate in PEM format");
            }
        }

        private static String token(Path file) {
            String token = read("--token-file", file);
            if (!token.matches("[!-~]+")) {
                throw new IllegalArgumentException("--token-file " + file + " has no token");
            }
            return token;
        }

        private static String read(String option, Path file) {
            try {
                return Files.readString(file).strip();
            } catch (IOException e) {
                throw new IllegalArgumentException(
                        option + " " + file + ": " + FileFailure.reason(e));
            }
        }

        /**
         * Sends a request. The caller closes a body that is a stream.
         *
         * @throws IOException if there is no response
         */
        <T> HttpResponse<T> get(URI url, BodyHandler<T> body) throws IOException {
            HttpRequest.Builder request = HttpRequest.newBuilder(url).timeout(ANSWER);
            if (token != null) {
                request.header("Authorization", "Bearer " + token);
            }
            try {
                return client.send(request.build(), body);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", interrupted);
            }
        }

        /** The reason for a missing response, in a few words. */
        static String why(Exception failure) {
            String message = failure.getMessage();
            if (failure instanceof ConnectException && message == null) {
                return "cannot connect";
            }
            return message == null ? failure.getClass().getSimpleName() : message;
        }

        @Override
        public void close() {
            client.shutdownNow();
        }
    }
}
