package io.kubemirror.parity;

import static io.kubemirror.testing.Manifests.configMap;
import static io.kubemirror.testing.Manifests.deployment;
import static io.kubemirror.testing.Manifests.manifest;
import static io.kubemirror.testing.Manifests.namespace;
import static io.kubemirror.testing.Manifests.node;
import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.Manifests.secret;
import static io.kubemirror.testing.Manifests.widget;

import module java.base;

import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.Manifest;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.scripted.ServedTypes;

/** The objects on the server before kubemirror starts. */
final class ParityObjects {

    /** The feature gates that make a server write nothing by itself. */
    static final String QUIET = "APIServerIdentity=false,UnknownVersionInteroperabilityProxy=false";

    /** Custom resources of cluster scope, whose definition has no printer columns. */
    static final ResourceType PLANETS =
            new ResourceType(
                    "example.com",
                    "v1",
                    "Planet",
                    "planets",
                    "planet",
                    false,
                    List.of(),
                    List.of("all"));

    /** Custom resources whose only version is deprecated. */
    static final ResourceType COMETS = namespaced("example.com", "Comet", "comets");

    static final ResourceType EVENTS = namespaced("", "Event", "events", "ev");
    static final ResourceType LEASES = namespaced("coordination.k8s.io", "Lease", "leases");
    static final ResourceType JOBS = namespaced("batch", "Job", "jobs");
    static final ResourceType REPLICA_SETS = namespaced("apps", "ReplicaSet", "replicasets", "rs");

    /** The resources that kubemirror mirrors, in the order of the server's discovery. */
    static final List<String> MIRRORED =
            List.of(
                    "configmaps",
                    "endpoints",
                    "events",
                    "namespaces",
                    "nodes",
                    "pods",
                    "secrets",
                    "services",
                    "deployments.apps",
                    "replicasets.apps",
                    "jobs.batch",
                    "leases.coordination.k8s.io",
                    "comets.example.com",
                    "planets.example.com",
                    "widgets.example.com");

    /**
     * A body of this size is not compressed, one that is larger by a byte is (list-watch.md#en-9).
     */
    private static final int GZIP_THRESHOLD = 131_072;

    private static final String DEFINITIONS =
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

    private final ApiServer server;

    private ParityObjects(ApiServer server) {
        this.server = server;
    }

    /** Fills a server and restarts it, so that its history begins where kubemirror's will. */
    static void fill(ApiServer server) {
        ParityObjects parityObjects = new ParityObjects(server);
        parityObjects.define();
        List.of("a", "a-b", "l", "t", "big-a", "big-b").forEach(server::ensureNamespace);
        parityObjects.golden();
        parityObjects.labeled();
        parityObjects.fielded();
        parityObjects.plain();
        parityObjects.pad("big-a", GZIP_THRESHOLD);
        parityObjects.pad("big-b", GZIP_THRESHOLD + 1);
        server.restart();
    }

    /** Creates a type that the server cannot list, because its objects cannot be converted. */
    static void fillWithMoons(ApiServer server) {
        ParityObjects parityObjects = new ParityObjects(server);
        parityObjects.post(DEFINITIONS, json("moons.json"));
        ResourceType moons = namespaced("example.com", "Moon", "moons");
        server.define(moons);
        server.ensureNamespace("a");
        server.create(manifest(moons, "a", "io"));
        server.client()
                .send("PATCH", DEFINITIONS + "/moons.example.com", json("unconvertible.json"));
        server.restart();
    }

    private static ResourceType namespaced(
            String group, String kind, String plural, String... shortNames) {
        String singular = plural.substring(0, plural.length() - 1);
        return new ResourceType(
                group, "v1", kind, plural, singular, true, List.of(shortNames), List.of());
    }

    /** Defines the custom resource types. */
    private void define() {
        post(DEFINITIONS, json("widgets.json"));
        server.define(ServedTypes.WIDGETS);
        post(DEFINITIONS, json("comets.json"));
        server.define(COMETS);
        server.define(PLANETS);
    }

    /** The three pods of the golden cases. */
    private void golden() {
        server.create(
                pod("a-b", "x")
                        .label("app", "v")
                        .with("{\"spec\": {\"nodeName\": \"n1\", \"hostNetwork\": true}}"));
        server.create(
                pod("a", "y")
                        .label("app", "w")
                        .with(
                                """
                                {"spec": {"nodeName": "n2", "restartPolicy": "Never",
                                  "schedulerName": "own", "serviceAccountName": "robot"}}
                                """));
        server.create(pod("a", "x").label("app", "v"));
        server.create(manifest(COMETS, "a", "halley"));
        server.patchStatus(ServedTypes.PODS, "a-b", "x", "{\"status\": {\"phase\": \"Running\"}}");
        server.patchStatus(
                ServedTypes.PODS,
                "a",
                "y",
                """
                {"status": {"phase": "Pending", "podIP": "10.1.2.3", "podIPs": [{"ip": "10.1.2.3"}]}}
                """);
        server.patchStatus(
                ServedTypes.PODS,
                "a",
                "x",
                "{\"status\": {\"phase\": \"Failed\", \"nominatedNodeName\": \"n2\"}}");
    }

    /** Objects for label selectors. */
    private void labeled() {
        server.create(configMap("l", "m1").label("app", "v").label("n", "5"));
        server.create(configMap("l", "m2").label("app", "w").label("n", "7").label("tier", "f"));
        server.create(configMap("l", "m3").label("app", ""));
        server.create(configMap("l", "m4"));
        server.create(configMap("l", "m5").label("n", "x").label("in", "in"));
        server.create(configMap("l", "m6").label("example.com/role", "db"));
        server.create(configMap("l", "m7").label("app", "in").label("n", "007"));
        server.create(configMap("l", "m8").label("notin", "v").label("app", "v"));
    }

    /** Objects for field selectors. */
    private void fielded() {
        server.create(node("n1").with("{\"spec\": {\"unschedulable\": true}}"));
        server.create(node("n2"));
        server.create(secret("t", "s1").with("{\"type\": \"Opaque\"}"));
        server.create(secret("t", "s2").with("{\"type\": \"example.com/own\"}"));
        server.create(
                service(
                        "one",
                        "{\"spec\": {\"clusterIP\": \"10.0.0.11\", \"type\": \"ClusterIP\"}}"));
        server.create(service("two", "{\"spec\": {\"type\": \"NodePort\"}}"));
        server.create(manifest(EVENTS, "t", "e1").with(EVENT));
        server.create(
                manifest(EVENTS, "t", "e2")
                        .with(
                                """
                                {"involvedObject": {"kind": "Node", "namespace": "t", "name": "n1"},
                                 "reportingComponent": "kubelet", "reason": "Rebooted"}
                                """));
        server.create(
                manifest(REPLICA_SETS, "t", "r1")
                        .with("{\"spec\": {\"selector\": {\"matchLabels\": {\"app\": \"v\"}}}}")
                        .with(template("Always"))
                        .with("{\"spec\": {\"replicas\": 2}}"));
        server.patchStatus(REPLICA_SETS, "t", "r1", "{\"status\": {\"replicas\": 2}}");
        server.create(manifest(JOBS, "t", "j1").with(template("Never")));
        server.create(manifest(LEASES, "t", "lease"));
    }

    private static final String EVENT =
            """
            {"involvedObject": {"kind": "Pod", "namespace": "t", "name": "p", "uid": "u-1",
               "apiVersion": "v1", "resourceVersion": "7", "fieldPath": "spec.containers{main}"},
             "reason": "Started", "type": "Normal", "source": {"component": "scheduler"},
             "count": 3, "message": "<a> & <b>"}
            """;

    private static String template(String restartPolicy) {
        return """
        {"spec": {"template": {"metadata": {"labels": {"app": "v"}},
          "spec": {"restartPolicy": "%s",
            "containers": [{"name": "main", "image": "example.com/main:1"}]}}}}
        """
                .formatted(restartPolicy);
    }

    private static Manifest service(String name, String spec) {
        return manifest(ServedTypes.SERVICES, "t", name)
                .with("{\"spec\": {\"ports\": [{\"port\": 80}]}}")
                .with(spec);
    }

    /** Further types, with strings and numbers that are easily changed by parsing. */
    private void plain() {
        server.create(deployment("t", "d1", 3));
        server.create(deployment("a", "d2", 1).label("app", "v"));
        server.create(widget("a", "one", 1));
        server.create(
                widget("a", "two", 2)
                        .label("app", "v")
                        .with(
                                """
                                {"spec": {"colour": "blue", "large": 9223372036854775807,
                                  "exact": 1.50, "nothing": null, "empty": {}, "none": [],
                                  "text": "<tag> & \\u00e9\\u2028\\ud83d\\ude00 \\u0007"}}
                                """));
        server.create(manifest(PLANETS, "", "earth"));
        server.create(manifest(PLANETS, "", "mars").label("colour", "red"));
        server.create(
                configMap("t", "text").data("key", "<tag> & \u00e9\u2028 \ud83d\ude00 \u0007\t\n"));
        server.create(namespace("z").label("app", "v"));
    }

    /** Pads the list of a namespace's config maps to the given number of bytes. */
    private void pad(String namespace, int size) {
        String list = "/api/v1/namespaces/" + namespace + "/configmaps";
        server.create(configMap(namespace, "padding").data("k", ""));
        int padding = 0;
        for (int length = length(list); length != size; length = length(list)) {
            padding += size - length;
            server.replace(configMap(namespace, "padding").data("k", "x".repeat(padding)));
        }
    }

    private static String json(String file) {
        return Unchecked.call(
                () -> Files.readString(Path.of("src/test/resources/io/kubemirror/parity", file)));
    }

    private int length(String target) {
        return server.client().get(target).body().length();
    }

    private void post(String target, String body) {
        RestClient.RestResponse reply = server.client().send("POST", target, body);
        if (reply.code() >= 300) {
            throw new IllegalStateException(reply.body());
        }
    }
}
