package io.kubemirror.testing.real;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.Manifests;
import io.kubemirror.testing.scripted.ServedTypes;

import java.util.List;

/** Scenarios with watches, which are compared between servers. */
final class WatchScenarios {

    private static final String WATCH = "/api/v1/secrets?watch=1";
    private static final String INITIAL =
            "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
    private static final String BOOKMARKS = "&allowWatchBookmarks=true";

    private WatchScenarios() {}

    static void starts(Transcript t) {
        Scenario.golden(t);
        try (var zero = t.watch(WATCH + "&resourceVersion=0");
                var unset = t.watch(WATCH);
                var second = t.watch(WATCH + "&resourceVersion={r2}");
                var live =
                        t.watch(
                                WATCH
                                        + "&resourceVersion=0&sendInitialEvents=false"
                                        + "&resourceVersionMatch=NotOlderThan");
                var narrow = t.watch(WATCH + "&fieldSelector=metadata.name%3Dy")) {
            zero.expect(3);
            unset.expect(3);
            second.expect(1);
            narrow.expect(1);
            t.label("a", "y", "app", "z");
            zero.expect(1);
            unset.expect(1);
            second.expect(1);
            live.expect(1);
            narrow.expect(1);
        }
    }

    static void initialEvents(Transcript t) {
        Scenario.golden(t);
        try (var bookmarked = t.watch(WATCH + "&resourceVersion=0" + BOOKMARKS);
                var full = t.watch(WATCH + INITIAL + BOOKMARKS);
                var old = t.watch(WATCH + INITIAL + BOOKMARKS + "&resourceVersion={r1}");
                var none =
                        t.watch(
                                WATCH
                                        + INITIAL
                                        + BOOKMARKS
                                        + "&fieldSelector=metadata.name%3Dnope");
                var silent = t.watch(WATCH + INITIAL)) {
            bookmarked.expect(4);
            full.expect(4);
            old.expect(4);
            none.expect(1);
            silent.expect(3);
            t.create(Manifests.secret("a", "nope"));
            bookmarked.expect(1);
            full.expect(1);
            old.expect(1);
            none.expect(1);
            silent.expect(1);
        }
    }

    static void metadata(Transcript t) {
        Scenario.golden(t);
        String[] list = {
            "Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
        };
        String[] object = {
            "Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
        };
        t.get("/api/v1/secrets?limit=2", list);
        t.get("/api/v1/secrets?limit=2&continue={token}", list);
        t.get("/api/v1/namespaces/a/secrets/x", object);
        try (var full = t.watch(WATCH + INITIAL + BOOKMARKS, object)) {
            full.expect(4);
            t.label("a", "y", "app", "z");
            t.delete("a", "y");
            full.expect(2);
        }
    }

    static void selectors(Transcript t) {
        Scenario.golden(t);
        try (var w = t.watch(WATCH + "&resourceVersion={r3}&labelSelector=app%3Dw");
                var all = t.watch(WATCH + "&resourceVersion={r3}");
                var named =
                        t.watch(
                                WATCH
                                        + "&resourceVersion={r3}&fieldSelector="
                                        + "metadata.name%3Dx,metadata.namespace%3Da")) {
            t.label("a", "y", "app", "z");
            t.label("a", "x", "app", "w");
            t.label("a", "x", "more", "yes");
            t.delete("a", "y");
            all.expect(4);
            t.delete("a", "x");
            t.delete("a-b", "x");
            all.expect(2);
            w.expect(4);
            named.expect(3);
        }
    }

    static void past(Transcript t) {
        Scenario.golden(t);
        t.delete("a", "x");
        t.get("/api/v1/secrets");
        try (var open = t.watch(WATCH + "&resourceVersion={r3}")) {
            open.expect(1);
            t.server().restart();
            open.expectEnd();
        }
        t.get("/api/v1/secrets");
        try (var old = t.watch(WATCH + "&resourceVersion={r1}");
                var listed = t.watch(WATCH + "&resourceVersion={r1}" + INITIAL + BOOKMARKS)) {
            old.expect(1);
            old.expectEnd();
            listed.expect(3);
        }
    }

    static void future(Transcript t) {
        Scenario.golden(t);
        long start = t.newest() + 20;
        try (var ahead = t.watchFrom(WATCH, start)) {
            long changed = 0;
            for (int i = 0; changed <= start; i++) {
                String patch = "{\"metadata\": {\"labels\": {\"app\": \"v%d\"}}}".formatted(i);
                changed =
                        JsonTrees.revision(t.server().patch(ServedTypes.SECRETS, "a", "x", patch));
            }
            t.note(
                    "first event is the first after the start: "
                            + (ahead.nextRevision() == changed));
        }
    }

    static void deprecatedPaths(Transcript t) {
        Scenario.golden(t);
        try (var named = t.watch("/api/v1/watch/namespaces/a/secrets/x?allowWatchBookmarks=true");
                var all = t.watch("/api/v1/watch/secrets?resourceVersion={r1}")) {
            all.expect(2);
            named.expect(1);
            t.label("a", "x", "app", "z");
            all.expect(1);
            named.expect(1);
        }
    }

    /** Tokens and exact lists after their revision has expired. */
    static void expiry(Transcript t) {
        String list = "/api/v1/secrets";
        for (String name : List.of("one", "three", "two")) {
            t.create(Manifests.secret("a", name));
        }
        t.get(list + "?limit=1");
        t.create(Manifests.secret("a", "four"));
        t.forget(list + "?limit=1&continue={token}");
        t.get(list + "?limit=1&continue={token}");
        t.get(list + "?continue={token}");
        t.get(list + "?resourceVersion={r1}&resourceVersionMatch=Exact");
        t.get(list + "?resourceVersion={r1}");
    }

    static void withoutWatchList(Transcript t) {
        Scenario.golden(t);
        t.get(WATCH + INITIAL);
        t.get(WATCH + "&sendInitialEvents=false");
        t.get(WATCH + "&sendInitialEvents=true");
        try (var zero = t.watch(WATCH + "&resourceVersion=0" + BOOKMARKS)) {
            zero.expect(3);
            t.label("a", "y", "app", "z");
            zero.expect(1);
        }
    }
}
