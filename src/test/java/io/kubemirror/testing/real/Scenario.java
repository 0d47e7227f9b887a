package io.kubemirror.testing.real;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.Manifests;
import io.kubemirror.testing.scripted.ServedTypes;

import java.util.List;
import java.util.function.Consumer;

/**
 * A sequence of requests to an API server.
 *
 * @param name the name in reports
 * @param steps the requests
 */
record Scenario(String name, Consumer<Transcript> steps) {

    private static final String SECRETS = "/api/v1/secrets";

    /**
     * Deletes all secrets, a type that no server creates by itself, runs the steps, and returns the
     * transcript.
     */
    List<String> runOn(ApiServer server) {
        for (var secret : server.list(ServedTypes.SECRETS).path("items")) {
            server.delete(ServedTypes.SECRETS, JsonTrees.namespace(secret), JsonTrees.name(secret));
        }
        server.ensureNamespace("a");
        server.ensureNamespace("a-b");
        Transcript transcript = new Transcript(server);
        steps.accept(transcript);
        return transcript.lines();
    }

    /** The three objects of the golden cases; their revisions are r1 to r3. */
    static void golden(Transcript t) {
        t.create(Manifests.secret("a-b", "x").label("app", "v"));
        t.create(Manifests.secret("a", "y").label("app", "w"));
        t.create(Manifests.secret("a", "x").label("app", "v"));
        // After a consistent read the cache of the server has all three.
        t.get(SECRETS);
    }

    static void lists(Transcript t) {
        golden(t);
        t.get(SECRETS + "?limit=1&resourceVersion=0");
        t.get(SECRETS + "?resourceVersion={r2}");
        t.get(SECRETS + "?limit=2&resourceVersion={r2}");
        t.get(SECRETS + "?limit=2&resourceVersion={r2}&resourceVersionMatch=NotOlderThan");
        t.get(SECRETS + "?resourceVersion={r2}&resourceVersionMatch=Exact");
        t.get(SECRETS + "?resourceVersion=0&resourceVersionMatch=NotOlderThan");
        t.get("/api/v1/namespaces/a/secrets");
        t.get("/api/v1/namespaces/nowhere/secrets");
        t.get("/api/v1/namespaces/a/secrets/x?watch=true");
        t.get("/api/v1/namespaces/a/secrets?labelSelector=none");
    }

    static void pages(Transcript t) {
        golden(t);
        t.get(SECRETS + "?limit=1");
        t.delete("a", "x");
        t.get(SECRETS + "?limit=1&continue={token}");
        t.get(SECRETS + "?limit=1&continue={token}");
        t.get(SECRETS);
        t.get(SECRETS + "?limit=1&labelSelector=app%3Dv");
        t.get("/api/v1/namespaces/a-b/secrets?limit=1");
        t.create(Manifests.secret("a", "z"));
        t.get("/api/v1/namespaces/a/secrets?limit=1");
        t.get("/api/v1/namespaces/a/secrets?continue={token}");
    }

    static void selectors(Transcript t) {
        golden(t);
        t.create(Manifests.secret("a", "bare"));
        for (String selector :
                List.of(
                        "app%3Dv",
                        "app%3D%3Dv",
                        "app%21%3Dv",
                        "app",
                        "%21app",
                        "app+in+(v,w)",
                        "app+notin+(w)",
                        "app%3Dv,app%21%3Dw",
                        "app%3D")) {
            t.get(SECRETS + "?labelSelector=" + selector);
        }
        t.get(SECRETS + "?fieldSelector=metadata.name%3Dx");
        t.get(SECRETS + "?fieldSelector=metadata.name%3Dx,metadata.namespace%3Da");
        t.get(SECRETS + "?fieldSelector=metadata.namespace%21%3Da");
        t.get(SECRETS + "?fieldSelector=spec.colour%3Dblue");
        t.get(SECRETS + "?fieldSelector=oops");
    }

    static void mistakes(Transcript t) {
        golden(t);
        for (String query :
                List.of(
                        "resourceVersionMatch=Exact",
                        "resourceVersionMatch=Exact&resourceVersion=0",
                        "resourceVersionMatch=exact&resourceVersion={r1}",
                        "resourceVersionMatch=Exact&continue=x",
                        "sendInitialEvents=true",
                        "sendInitialEvents=",
                        "watch=1&sendInitialEvents=true",
                        "watch=1&sendInitialEvents=false&resourceVersionMatch=Exact",
                        "watch=1&resourceVersionMatch=NotOlderThan&resourceVersion={r1}",
                        "watch=1&continue=x",
                        "limit=x",
                        "limit=",
                        "limit=9223372036854775808",
                        "timeoutSeconds=1.5",
                        "resourceVersion=x",
                        "resourceVersion=-1")) {
            t.get(SECRETS + "?" + query);
        }
    }

    static void badTokens(Transcript t) {
        golden(t);
        t.get(SECRETS + "?limit=1");
        t.get(SECRETS + "?continue={token}&resourceVersion={r1}");
        t.get(SECRETS + "?continue={token}&resourceVersion=0");
        t.get(SECRETS + "?continue=" + token("{\"v\":\"v9\",\"rv\":5,\"start\":\"/a/x\"}"));
        t.get(SECRETS + "?continue=" + token("{\"v\":\"meta.k8s.io/v1\",\"start\":\"/a/x\"}"));
        t.get(SECRETS + "?continue=" + token("{\"v\":\"meta.k8s.io/v1\",\"rv\":5}"));
        t.get(
                SECRETS
                        + "?continue="
                        + token("{\"v\":\"meta.k8s.io/v1\",\"rv\":-1,\"start\":\"a/x\"}"));
    }

    private static String token(String json) {
        return java.util.Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(json.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    static void unknownThings(Transcript t) {
        t.get("/api/v1/namespaces/a/secrets/none");
        t.get("/apis/apps/v1/namespaces/a/deployments/none");
        t.get("/api/v1/bananas");
        t.get("/api/v2");
        t.get("/apis/apps/v9/deployments");
        t.get("/apis/nothing.example.org/v1/things");
        t.get("/nowhere");
    }

    static void future(Transcript t) {
        golden(t);
        t.get(SECRETS + "?resourceVersion={future}");
        t.get(SECRETS + "?resourceVersion={future}&limit=1");
        t.get("/api/v1/namespaces/a/secrets/x?resourceVersion={future}");
        String initial = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
        try (var watch = t.watch(SECRETS + "?watch=1&resourceVersion={future}" + initial)) {
            watch.expect(1);
            watch.expectEnd();
        }
    }

    static void writes(Transcript t) {
        golden(t);
        String target = "/api/v1/namespaces/a/secrets";
        t.send("POST", target, JsonTrees.text(Manifests.secret("a", "x").json()));
        t.send("DELETE", target + "/none", "{}");
        t.send("PATCH", target + "/none", "{}");
        String outdated =
                JsonTrees.text(
                        Manifests.secret("a", "x")
                                .with("{\"metadata\": {\"resourceVersion\": \"{r1}\"}}")
                                .json());
        t.send("PUT", target + "/x", outdated);
        t.label("a", "x", "app", "v");
        t.get(target + "/x");
    }
}
