package io.kubemirror.programs;

import module java.base;

import io.kubemirror.api.http.RequestPath;
import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.clients.ProgramRun;
import io.kubemirror.clients.TcpRelay;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.Manifests;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.WaitLimit;

import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.JsonNode;

/**
 * A real API server and a kubemirror that passes on what it does not mirror, with a relay in front
 * of each way to the API server. Addresses of objects are on loopback, because programs connect to
 * what they discover.
 */
final class ProgramFixture implements AutoCloseable {

    private static final Path SOURCES = Path.of("src", "test", "programs");
    private static final String DEFINITIONS =
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final String GADGETS = "/apis/example.com/v1/gadgets";

    /** What programs mostly read; leases, events, and secrets are passed on. */
    static final List<String> MIRRORED =
            List.of(
                    "configmaps",
                    "pods",
                    "services",
                    "endpoints",
                    "nodes",
                    "deployments.apps",
                    "endpointslices.discovery.k8s.io",
                    "ingresses.networking.k8s.io",
                    "gadgets.example.com");

    private static final Pattern READ =
            Pattern.compile("^(?:GET|HEAD) ([^ ?]+)(?:\\?[^ ]*)? HTTP/1\\.1\r\n");

    private final RestClient server;
    private final TcpRelay direct = new TcpRelay();
    private final TcpRelay upstream = new TcpRelay();
    private final ConfigurableApplicationContext kubemirror;
    private final Path directory;

    /**
     * Starts kubemirror.
     *
     * @param apiServer what is written to
     * @param url what programs and kubemirror connect to, which may be a server in front of it
     * @param mode how kubemirror passes requests on
     */
    ProgramFixture(ApiServer apiServer, URI url, Path directory, String mode) {
        this.directory = directory;
        server = apiServer.client();
        direct.lead(url.getPort());
        upstream.lead(url.getPort());
        kubemirror = ApplicationLauncher.with(settings(mode).toArray(String[]::new));
        var _ = ApplicationLauncher.ready(kubemirror);
    }

    /** Creates a type and a node that all programs share. */
    static void define(ApiServer apiServer) {
        RestClient server = apiServer.client();
        server.write("POST", DEFINITIONS, read("gadgets.json"));
        WaitLimit.until(() -> server.get(GADGETS).code() == 200);
        server.create(Manifests.node("worker"));
        server.write(
                "PATCH",
                "/api/v1/nodes/worker/status",
                """
                {"status": {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}]}}
                """);
    }

    private List<String> settings(String mode) {
        List<String> settings = new ArrayList<>();
        settings.add("kubemirror.upstream.server=" + upstream.url());
        settings.add("kubemirror.pass-through.mode=" + mode);
        if (mode.equals("own")) {
            settings.add(
                    "kubemirror.pass-through.own-verbs=get,list,watch,create,update,patch,delete,"
                            + "deletecollection,post,put,proxy");
        } else {
            // The API server of the tests has no review API.
            settings.add("kubemirror.pass-through.anonymous-reads=true");
        }
        for (int i = 0; i < MIRRORED.size(); i++) {
            settings.add("kubemirror.resources[%d].resource=%s".formatted(i, MIRRORED.get(i)));
        }
        return settings;
    }

    /**
     * What a run has left.
     *
     * @param output what the program has printed, without address and namespace, and its exit code
     * @param reads the paths of what is mirrored that the API server was asked for meanwhile
     */
    record Result(String output, List<String> reads) {}

    /** Runs a program at the API server, with a token unless it is empty. */
    Result directly(Program program, String token) {
        return run(program, "direct" + token, direct.url(), direct, token);
    }

    /** Runs a program at kubemirror, with a token unless it is empty. */
    Result mirrored(Program program, String token) {
        return run(program, "mirror" + token, url("local.server.port"), upstream, token);
    }

    private Result run(Program program, String way, URI url, TcpRelay relay, String token) {
        String name = program.name().toLowerCase(Locale.ROOT).replace('_', '-');
        String namespace = name + "-" + way;
        populate(namespace);
        Path place = copy(program.file(), directory.resolve(namespace));
        Map<String, String> environment = new HashMap<>(program.tool().environment(url));
        environment.put("NAMESPACE", namespace);
        environment.put("HOME", place.toString());
        environment.put("LANG", "C.UTF-8");
        environment.put("PATH", System.getenv("PATH"));
        String user = token.isEmpty() ? "{}" : "{token: " + token + "}";
        String kubeconfig = kubeconfig(url, namespace).replace("user: {}", "user: " + user);
        write(place.resolve("kubeconfig.yaml"), kubeconfig);
        if (!token.isEmpty()) {
            environment.put("KUBECONFIG", "kubeconfig.yaml");
        }
        List<String> command = program.tool().command(program.file());
        int before = relay.pieces().size();
        try (ProgramRun run = ProgramRun.start(place, command, environment)) {
            String output =
                    run.outcome()
                            .replace(url.getAuthority(), "SERVER")
                            .replace(namespace, "NAMESPACE");
            List<String> pieces = relay.pieces();
            return new Result(output, reads(pieces.subList(before, pieces.size())));
        }
    }

    /** Those of programs, not kubemirror's own, among what a relay has read. */
    private static List<String> reads(List<String> pieces) {
        return pieces.stream()
                .filter(piece -> !piece.contains("\r\nUser-Agent: kubemirror/"))
                .flatMap(piece -> READ.matcher(piece).results())
                .map(head -> head.group(1))
                .filter(ProgramFixture::isMirrored)
                .toList();
    }

    private static boolean isMirrored(String path) {
        return RequestPath.parse(Optional.of(path)) instanceof RequestPath.OfResource read
                && MIRRORED.stream()
                        .map(name -> name.replaceFirst("[.].*", ""))
                        .anyMatch(read.resource().plural()::equals);
    }

    private static String kubeconfig(URI url, String namespace) {
        return read("kubeconfig.yaml")
                .replace("http://127.0.0.1:8001", url.toString())
                .replace("default", namespace);
    }

    /** Creates a namespace with a few objects, and returns when kubemirror has them. */
    private void populate(String namespace) {
        server.create(Manifests.namespace(namespace));
        for (JsonNode item : JsonTrees.parse(read("objects.json")).path("items")) {
            String collection = item.path("path").asString().replace("NAMESPACE", namespace);
            JsonNode object = item.path("object");
            JsonNode stored = server.write("POST", collection, JsonTrees.text(object));
            String path = collection + "/" + JsonTrees.name(object);
            if (item.has("status")) {
                String status = "{\"status\":" + JsonTrees.text(item.path("status")) + "}";
                stored = server.write("PATCH", path + "/status", status);
            }
            awaitRevision(path, JsonTrees.revision(stored));
        }
    }

    private void awaitRevision(String path, long revision) {
        RestClient client = RestClient.of(url("local.server.port"));
        WaitLimit.until(
                () -> {
                    RestClient.RestResponse response = client.get(path);
                    return response.code() == 200
                            && JsonTrees.revision(response.json()) >= revision;
                });
    }

    private URI url(String port) {
        return ApplicationLauncher.url(kubemirror, port);
    }

    /** Copies the directory of a program, which may write into it; scripts of Node stay. */
    private static Path copy(Path file, Path to) {
        Path from = SOURCES.resolve(file.getName(0));
        try {
            Files.createDirectory(to);
            for (Path source : files(from)) {
                Files.copy(source, to.resolve(from.relativize(source)));
            }
            return to;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Path> files(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> !file.equals(directory)).toList();
        }
    }

    private static String read(String file) {
        return Unchecked.call(() -> Files.readString(SOURCES.resolve(file)));
    }

    private static void write(Path file, String text) {
        Unchecked.run(() -> Files.writeString(file, text));
    }

    @Override
    public void close() {
        kubemirror.close();
        direct.close();
        upstream.close();
    }
}
