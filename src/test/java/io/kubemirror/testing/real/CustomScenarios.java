package io.kubemirror.testing.real;

import static io.kubemirror.testing.scripted.ServedTypes.WIDGETS;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.Manifests;
import io.kubemirror.testing.RestClient;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;

/** Scenarios with custom resources and discovery, which are compared between servers. */
final class CustomScenarios {

    private static final String AGGREGATED =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

    private CustomScenarios() {}

    static void resources(Transcript t) {
        t.server().define(WIDGETS);
        for (JsonNode widget : t.server().list(WIDGETS).path("items")) {
            t.server().delete(WIDGETS, JsonTrees.namespace(widget), JsonTrees.name(widget));
        }
        t.create(Manifests.widget("a", "one", 1));
        t.create(Manifests.widget("a", "two", 2));
        ObjectNode list = t.get(WIDGETS.collectionPath());
        t.note(JsonTrees.text(list.path("metadata").path("continue")) + list.propertyNames());
        t.get(WIDGETS.collectionPath() + "?limit=1");
        t.get(WIDGETS.collectionPath() + "?limit=1&continue={token}");
        t.get(WIDGETS.collectionPath() + "?fieldSelector=spec.size%3D1");
        t.get(WIDGETS.collectionPath("a") + "/none");
        t.get("/apis/example.com/v1/gadgets");
        try (var watch = t.watch(WIDGETS.collectionPath() + "?watch=1&allowWatchBookmarks=1")) {
            watch.expect(3);
            t.server().delete(WIDGETS, "a", "one");
            watch.expect(1);
        }
    }

    static void discovery(Transcript t) {
        t.server().define(WIDGETS);
        RestClient client = t.server().client();
        JsonNode versions = client.get("/api").json();
        t.note(versions.path("kind").asString("") + versions.path("versions"));
        JsonNode groups = client.get("/apis").json();
        t.note(groups.path("kind").asString(""));
        String[] members = {"name", "versions", "preferredVersion"};
        t.note(chosen(entry(groups.path("groups"), "name", "example.com"), members));
        t.note(chosen(client.get("/apis/example.com").json(), members));
        plain(t, "/api/v1", "pods", "nodes");
        plain(t, "/apis/apps/v1", "deployments");
        plain(t, "/apis/example.com/v1", "widgets");
        aggregated(t, "/api", 0, "pods", "nodes");
        JsonNode apis = client.get("/apis", "Accept", AGGREGATED).json().path("items");
        for (int i = 0; i < apis.size(); i++) {
            switch (apis.get(i).at("/metadata/name").asString("")) {
                case "apps" -> aggregated(t, "/apis", i, "deployments");
                case "example.com" -> aggregated(t, "/apis", i, "widgets");
                case String _ -> {}
            }
        }
    }

    private static void plain(Transcript t, String target, String... names) {
        JsonNode list = t.server().client().get(target).json();
        t.note(list.path("kind") + " " + list.path("groupVersion"));
        for (String name : names) {
            JsonNode entry = entry(list.path("resources"), "name", name);
            t.note(chosen(entry, "name", "singularName", "namespaced", "kind", "shortNames"));
        }
    }

    private static void aggregated(Transcript t, String target, int item, String... names) {
        RestClient.RestResponse reply = t.server().client().get(target, "Accept", AGGREGATED);
        t.note(reply.header("content-type") + " " + reply.json().path("apiVersion"));
        JsonNode group = reply.json().path("items").get(item);
        t.note(group.path("metadata").path("name").asString("-"));
        JsonNode version = group.path("versions").get(0);
        t.note(chosen(version, "version", "freshness"));
        for (String name : names) {
            JsonNode entry = entry(version.path("resources"), "resource", name);
            List<String> members =
                    List.of("resource", "responseKind", "scope", "singularResource", "shortNames");
            t.note(chosen(entry, members.toArray(String[]::new)));
        }
    }

    private static JsonNode entry(JsonNode entries, String member, String value) {
        for (JsonNode entry : entries) {
            if (entry.path(member).asString("").equals(value)) {
                return entry;
            }
        }
        throw new AssertionError("there is no " + value);
    }

    private static String chosen(JsonNode node, String... members) {
        ObjectNode chosen = JsonTrees.object();
        for (String member : members) {
            chosen.set(member, node.path(member));
        }
        return JsonTrees.text(chosen);
    }
}
