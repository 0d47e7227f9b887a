package io.kubemirror.parity;

import static io.kubemirror.testing.Manifests.configMap;
import static io.kubemirror.testing.Manifests.deployment;
import static io.kubemirror.testing.Manifests.manifest;
import static io.kubemirror.testing.Manifests.namespace;
import static io.kubemirror.testing.Manifests.pod;

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
        parityObjects.create();
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

    /**
     * The objects, each as its kind, its namespace, its name, and what it has beside that, or a
     * patch of its status. There are the three pods of the golden cases, objects for selectors of
     * labels and of fields, and strings and numbers that are easily changed by parsing.
     */
    private static final String OBJECTS =
            """
            pod a-b x {"metadata": {"labels": {"app": "v"}}, "spec": {"nodeName": "n1", "hostNetwork": true}}
            pod a y {"metadata": {"labels": {"app": "w"}}, "spec": {"nodeName": "n2", "restartPolicy": "Never", "schedulerName": "own", "serviceAccountName": "robot"}}
            pod a x {"metadata": {"labels": {"app": "v"}}}
            comet a halley {}
            pod a-b x {"status": {"phase": "Running"}}
            pod a y {"status": {"phase": "Pending", "podIP": "10.1.2.3", "podIPs": [{"ip": "10.1.2.3"}]}}
            pod a x {"status": {"phase": "Failed", "nominatedNodeName": "n2"}}
            configmap l m1 {"metadata": {"labels": {"app": "v", "n": "5"}}}
            configmap l m2 {"metadata": {"labels": {"app": "w", "n": "7", "tier": "f"}}}
            configmap l m3 {"metadata": {"labels": {"app": ""}}}
            configmap l m4 {}
            configmap l m5 {"metadata": {"labels": {"n": "x", "in": "in"}}}
            configmap l m6 {"metadata": {"labels": {"example.com/role": "db"}}}
            configmap l m7 {"metadata": {"labels": {"app": "in", "n": "007"}}}
            configmap l m8 {"metadata": {"labels": {"notin": "v", "app": "v"}}}
            node - n1 {"spec": {"unschedulable": true}}
            node - n2 {}
            secret t s1 {"type": "Opaque"}
            secret t s2 {"type": "example.com/own"}
            service t one {"spec": {"ports": [{"port": 80}], "clusterIP": "10.0.0.11", "type": "ClusterIP"}}
            service t two {"spec": {"ports": [{"port": 80}], "type": "NodePort"}}
            event t e1 {"involvedObject": {"kind": "Pod", "namespace": "t", "name": "p", "uid": "u-1", "apiVersion": "v1", "resourceVersion": "7", "fieldPath": "spec.containers{main}"}, "reason": "Started", "type": "Normal", "source": {"component": "scheduler"}, "count": 3, "message": "<a> & <b>"}
            event t e2 {"involvedObject": {"kind": "Node", "namespace": "t", "name": "n1"}, "reportingComponent": "kubelet", "reason": "Rebooted"}
            replicaset t r1 {"spec": {"selector": {"matchLabels": {"app": "v"}}, TEMPLATE "Always"}}, "replicas": 2}}
            replicaset t r1 {"status": {"replicas": 2}}
            job t j1 {"spec": {TEMPLATE "Never"}}}}
            lease t lease {}
            widget a one {"spec": {"size": 1}}
            widget a two {"metadata": {"labels": {"app": "v"}}, "spec": {"size": 2, "colour": "blue", "large": 9223372036854775807, "exact": 1.50, "nothing": null, "empty": {}, "none": [], "text": "<tag> & \\u00e9\\u2028\\ud83d\\ude00 \\u0007"}}
            planet - earth {}
            planet - mars {"metadata": {"labels": {"colour": "red"}}}
            configmap t text {"data": {"key": "<tag> & \\u00e9\\u2028 \\ud83d\\ude00 \\u0007\\t\\n"}}
            namespace - z {"metadata": {"labels": {"app": "v"}}}
            """
                    .replace(
                            "TEMPLATE",
                            """
                            "template": {"metadata": {"labels": {"app": "v"}}, "spec": {"containers":\
                             [{"name": "main", "image": "example.com/main:1"}], "restartPolicy":\
                            """);

    private static final Map<String, ResourceType> KINDS =
            Map.ofEntries(
                    Map.entry("comet", COMETS),
                    Map.entry("configmap", ServedTypes.CONFIGMAPS),
                    Map.entry("event", EVENTS),
                    Map.entry("job", JOBS),
                    Map.entry("lease", LEASES),
                    Map.entry("namespace", ServedTypes.NAMESPACES),
                    Map.entry("node", ServedTypes.NODES),
                    Map.entry("planet", PLANETS),
                    Map.entry("pod", ServedTypes.PODS),
                    Map.entry("replicaset", REPLICA_SETS),
                    Map.entry("secret", ServedTypes.SECRETS),
                    Map.entry("service", ServedTypes.SERVICES),
                    Map.entry("widget", ServedTypes.WIDGETS));

    private void create() {
        for (String row : OBJECTS.lines().toList()) {
            String[] cells = row.split(" ", 4);
            ResourceType type = Objects.requireNonNull(KINDS.get(cells[0]));
            String namespace = cells[1].equals("-") ? "" : cells[1];
            if (cells[3].startsWith("{\"status\"")) {
                server.patchStatus(type, namespace, cells[2], cells[3]);
            } else {
                Manifest plain =
                        cells[0].equals("pod")
                                ? pod(namespace, cells[2])
                                : manifest(type, namespace, cells[2]);
                server.create(plain.with(cells[3]));
            }
        }
        server.create(deployment("t", "d1", 3));
        server.create(deployment("a", "d2", 1).label("app", "v"));
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
