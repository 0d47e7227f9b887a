package io.kubemirror.feature.forward;

import module java.base;

/**
 * Random requests as clients of an API server send them: every verb, on mirrored and other types,
 * right and wrong. Left out are requests for which the answer of a mirror differs on purpose
 * (compatibility.md).
 */
final class RandomOperations {

    /**
     * A request.
     *
     * @param headers names and values in turn
     * @param body the body, empty for none
     */
    record Operation(String method, String target, List<String> headers, String body) {

        @Override
        public String toString() {
            return "%s %s %s %s".formatted(method, target, headers, body);
        }
    }

    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
    private static final String METADATA =
            "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
    private static final String AGGREGATED =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    private static final String MERGE = "application/merge-patch+json";

    private static final List<String> NAMESPACES = List.of("left", "right", "left", "nowhere");
    private static final List<String> NAMES = List.of("a", "b", "c", "d");

    /** The first two are mirrored. */
    private static final List<Kind> KINDS =
            List.of(
                    new Kind("/api/v1", "pods", "Pod", "v1"),
                    new Kind("/api/v1", "configmaps", "ConfigMap", "v1"),
                    new Kind("/api/v1", "services", "Service", "v1"),
                    new Kind("/api/v1", "secrets", "Secret", "v1"),
                    new Kind("/apis/apps/v1", "deployments", "Deployment", "apps/v1"),
                    new Kind(
                            "/apis/coordination.k8s.io/v1",
                            "leases",
                            "Lease",
                            "coordination.k8s.io/v1"));

    private static final List<String> DOCUMENTS =
            words(
                    """
                    /api /apis /apis/apps /apis/apps/v1 /api/v1
                    /apis/none.example.com /apis/none.example.com/v1 /version
                    /openapi/v3 /openapi/v3/apis/apps/v1 /openapi/none /logs/ /none
                    /api/v2/pods /api/v1/nones /apis/apps/v1/namespaces/left/nones/a /api/v1//pods
                    /api/v1/nodes /api/v1/nodes/a
                    /api/v1/namespaces /api/v1/namespaces/left /api/v1/namespaces/none
                    /api/v1/namespaces/left/status
                    """);

    private static final List<String> SELECTIONS =
            words(
                    """
                    labelSelector=app%3Dv labelSelector=app+in+(v,w),!gone labelSelector=app+in+(
                    fieldSelector=metadata.name%3Da fieldSelector=metadata.namespace!%3Dleft
                    limit=2 limit=x limit=1&labelSelector=app continue=x resourceVersion=x
                    pretty=true timeout=5s
                    """);

    private static final List<String> REVIEWS =
            List.of(
                    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                    "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
                    "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                    "/apis/authentication.k8s.io/v1/tokenreviews");

    private final Random random;

    RandomOperations(long seed) {
        random = new Random(seed);
    }

    private static List<String> words(String text) {
        return List.of(text.strip().split("\\s+"));
    }

    /** A type as paths and bodies name it. */
    private record Kind(String root, String plural, String kind, String apiVersion) {

        private String collection(String namespace) {
            return namespace.isEmpty()
                    ? root + "/" + plural
                    : root + "/namespaces/" + namespace + "/" + plural;
        }
    }

    /** The next request. */
    Operation next() {
        Operation plain =
                switch (random.nextInt(12)) {
                    case 0, 1 -> read(one(KINDS), "");
                    case 2, 3 -> read(one(KINDS), one(NAMESPACES));
                    case 4, 5 -> create();
                    case 6 -> update();
                    case 7, 8 -> patch();
                    case 9 -> delete();
                    case 10 -> document();
                    default -> other();
                };
        if (!chance(6)) {
            return plain;
        }
        List<String> headers = new ArrayList<>(plain.headers());
        headers.addAll(List.of("Impersonate-User", one(List.of("reader", "editor", "nobody"))));
        if (chance(30)) {
            headers.addAll(List.of("Impersonate-Group", "system:masters"));
        }
        return new Operation(plain.method(), plain.target(), headers, plain.body());
    }

    private Operation read(Kind kind, String namespace) {
        if (!namespace.isEmpty() && chance(50)) {
            String object = kind.collection(namespace) + "/" + one(NAMES);
            return get(object, List.of());
        }
        String query = chance(50) ? "?" + one(SELECTIONS) : "";
        List<String> accept = chance(15) ? List.of("Accept", METADATA) : List.of();
        return get(kind.collection(namespace) + query, accept);
    }

    private Operation create() {
        Kind kind = one(KINDS);
        String body =
                switch (random.nextInt(12)) {
                    case 0 -> "{";
                    case 1 -> "[]";
                    case 2 -> body(one(KINDS), one(NAMES), "");
                    case 3 -> body(kind, "Not_A_Name", "");
                    case 4 -> body(kind, one(NAMES), ",\"unknown\":1");
                    default -> body(kind, one(NAMES), "");
                };
        List<String> type = List.of("Content-Type", chance(92) ? "application/json" : one(TYPES));
        return new Operation("POST", kind.collection(one(NAMESPACES)) + options(), type, body);
    }

    private Operation update() {
        Kind kind = one(KINDS);
        String name = one(NAMES);
        String object = kind.collection(one(NAMESPACES)) + "/" + name;
        String status = chance(15) ? "/status" : "";
        String stale = chance(25) ? "\"resourceVersion\":\"1\"," : "";
        String body = body(kind, chance(90) ? name : one(NAMES), "");
        return new Operation(
                "PUT",
                object + status + options(),
                List.of("Content-Type", "application/json"),
                body.replace("\"metadata\":{", "\"metadata\":{" + stale));
    }

    private Operation patch() {
        Kind kind = one(KINDS);
        String name = one(NAMES);
        String object = kind.collection(one(NAMESPACES)) + "/" + name;
        String label = "{\"metadata\":{\"labels\":{\"app\":\"" + one(List.of("v", "w")) + "\"}}}";
        String add = "[{\"op\":\"add\",\"path\":\"/metadata/labels/j\",\"value\":\"1\"}]";
        return switch (random.nextInt(7)) {
            case 0 -> patch(object + options(), "application/json-patch+json", add);
            case 1 -> patch(object, "application/strategic-merge-patch+json", label);
            case 2 -> patch(object, one(TYPES), label);
            case 3 -> patch(object + "/status", MERGE, label);
            case 4 ->
                    patch(
                            object + "?fieldManager=test&force=" + chance(50),
                            "application/apply-patch+yaml",
                            "apiVersion: %s\nkind: %s\nmetadata: {name: %s, labels: {y: z}}\n"
                                    .formatted(kind.apiVersion(), kind.kind(), name));
            case 5 -> patch(object, MERGE, "{");
            default -> patch(object + options(), MERGE, label);
        };
    }

    private static Operation patch(String target, String type, String body) {
        return new Operation("PATCH", target, List.of("Content-Type", type), body);
    }

    private Operation delete() {
        String collection = one(KINDS).collection(one(NAMESPACES));
        if (chance(15)) {
            return new Operation("DELETE", collection + "?labelSelector=app%3Dw", List.of(), "");
        }
        String object = collection + "/" + one(NAMES);
        return switch (random.nextInt(5)) {
            case 0 -> new Operation("DELETE", object + "?dryRun=All", List.of(), "");
            case 1 ->
                    new Operation(
                            "DELETE",
                            object,
                            List.of("Content-Type", "application/json"),
                            "{\"preconditions\":{\"uid\":\"other\"}}");
            case 2 -> new Operation("DELETE", object + "?propagationPolicy=Never", List.of(), "");
            default -> new Operation("DELETE", object, List.of(), "");
        };
    }

    private Operation document() {
        String path = one(DOCUMENTS);
        List<String> accept =
                chance(30)
                        ? List.of("Accept", AGGREGATED)
                        : chance(10) ? List.of("Accept", "text/html") : List.of();
        return get(path, accept);
    }

    private Operation other() {
        Kind kind = one(KINDS);
        String object = kind.collection(one(NAMESPACES)) + "/" + one(NAMES);
        return switch (random.nextInt(8)) {
            case 0 ->
                    new Operation(
                            "POST",
                            one(REVIEWS),
                            List.of("Content-Type", "application/json"),
                            "{}");
            case 1 -> get(object + "/" + one(List.of("status", "scale", "log", "none")), List.of());
            case 2 -> new Operation(one(List.of("POST", "PUT")), object + "/none", List.of(), "{}");
            case 3 -> new Operation("POST", object, List.of(), body(kind, "a", ""));
            case 4 -> get(object + "/status", List.of("Accept", TABLE.replace("Table", "None")));
            case 5 -> new Operation("PUT", kind.collection("left"), List.of(), "{}");
            case 6 -> new Operation("DELETE", one(DOCUMENTS), List.of(), "");
            default -> new Operation("PATCH", object, List.of(), "{}");
        };
    }

    private static final List<String> TYPES =
            List.of("text/plain", "application/x-www-form-urlencoded", "application/none", "x");

    private static Operation get(String target, List<String> headers) {
        return new Operation("GET", target, headers, "");
    }

    private String options() {
        return switch (random.nextInt(8)) {
            case 0 -> "?dryRun=All";
            case 1 -> "?dryRun=Some";
            case 2 -> "?fieldValidation=Strict";
            case 3 -> "?fieldValidation=Warn&fieldManager=test";
            case 4 -> "?pretty=true";
            default -> "";
        };
    }

    private static String body(Kind kind, String name, String further) {
        return """
        {"apiVersion":"%s","kind":"%s","metadata":{"name":"%s","labels":{"app":"v"}}%s}\
        """
                .formatted(kind.apiVersion(), kind.kind(), name, further);
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }
}
