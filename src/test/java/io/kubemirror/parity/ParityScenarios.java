package io.kubemirror.parity;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.Manifests.secret;
import static io.kubemirror.testing.Manifests.widget;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;
import static io.kubemirror.testing.scripted.ServedTypes.WIDGETS;

import module java.base;

/**
 * Scenarios with open watches, and with pages while they are read (list-watch.md#list-combinations,
 * #paging, #events).
 */
final class ParityScenarios {

    private static final String PODS_PATH = "/api/v1/namespaces/{ns}/pods";
    private static final String WIDGETS_PATH = "/apis/example.com/v1/namespaces/{ns}/widgets";
    private static final String LAST = "?watch=1&resourceVersion={last}";
    private static final String BOOKMARKS = "&allowWatchBookmarks=true";
    private static final String APP_V = "&labelSelector=app%3Dv";
    private static final String TABLE = "Accept: application/json;as=Table;g=meta.k8s.io;v=v1";
    private static final String PARTIAL =
            "Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

    private ParityScenarios() {}

    static List<ParityScenario> all() {
        return Stream.of(transitions(), starts(), forms(), lists()).flatMap(List::stream).toList();
    }

    private static List<ParityScenario> transitions() {
        return List.of(
                new ParityScenario("EV-1", "objects are created", ParityScenarios::created),
                new ParityScenario("EV-1", "an object enters a selection", ParityScenarios::enters),
                new ParityScenario(
                        "EV-2", "an object changes within a selection", ParityScenarios::changes),
                new ParityScenario("EV-3", "an object leaves a selection", ParityScenarios::leaves),
                new ParityScenario(
                        "EV-4", "objects outside a selection change", ParityScenarios::outside),
                new ParityScenario(
                        "EV-5", "an object of a selection is deleted", ParityScenarios::deleted),
                new ParityScenario(
                        "EV-4",
                        "an object outside a selection is deleted",
                        ParityScenarios::unseen),
                new ParityScenario(
                        "EV-10",
                        "an object is replaced by one of its name",
                        ParityScenarios::replaced),
                new ParityScenario(
                        "FS-9",
                        "an object moves through a selection of fields",
                        ParityScenarios::phases),
                new ParityScenario(
                        "SH-4", "objects of some shards change", ParityScenarios::shards),
                new ParityScenario("PA-6", "one name is watched", ParityScenarios::oneName));
    }

    private static List<ParityScenario> starts() {
        return List.of(
                new ParityScenario("WA-8", "the past is replayed", s -> replayed(s, "")),
                new ParityScenario(
                        "WA-8, EV-3",
                        "the past of a selection is replayed",
                        s -> replayed(s, APP_V)),
                new ParityScenario(
                        "WA-10", "a watch begins in the future", ParityScenarios::future),
                new ParityScenario(
                        "BM-10, WA-24",
                        "changes follow the initial events",
                        ParityScenarios::initial),
                new ParityScenario("WA-6", "only changes are wanted", ParityScenarios::live),
                new ParityScenario(
                        "PA-7, PA-9",
                        "one object by a deprecated path",
                        ParityScenarios::deprecated),
                new ParityScenario(
                        "PA-7",
                        "a collection by a deprecated path",
                        ParityScenarios::deprecatedAll),
                new ParityScenario(
                        "BM-1, BM-4, BM-6",
                        "watches of five seconds get bookmarks if they want them, also if nothing"
                                + " is selected",
                        ParityScenarios::bookmarks));
    }

    private static List<ParityScenario> forms() {
        return List.of(
                new ParityScenario("EN-1", "custom resources come and go", ParityScenarios::custom),
                new ParityScenario(
                        "NE-27, NE-28",
                        "the names and the objects of a watch as tables",
                        s ->
                                formed(
                                        s,
                                        TABLE,
                                        frame ->
                                                ColumnFilter.normalized(
                                                        frame, Set.of("Name", "Age")))),
                new ParityScenario(
                        "NE-30",
                        "a watch of metadata only",
                        s -> formed(s, PARTIAL, UnaryOperator.identity())),
                new ParityScenario(
                        "NE-27, NE-21", "custom resources as tables", s -> formedCustom(s, TABLE)),
                new ParityScenario(
                        "NE-30, EN-1",
                        "metadata of custom resources",
                        s -> formedCustom(s, PARTIAL)));
    }

    private static List<ParityScenario> lists() {
        return List.of(
                new ParityScenario(
                        "CO-2", "an object goes while pages are read", ParityScenarios::pages),
                new ParityScenario(
                        "CO-2",
                        "objects come and change meanwhile",
                        ParityScenarios::changingPages),
                new ParityScenario("LI-9", "states of the past", ParityScenarios::exact),
                new ParityScenario("LI-22", "a revision of another type", ParityScenarios::between),
                new ParityScenario(
                        "LI-9", "pages of a state of the past", ParityScenarios::exactPages),
                new ParityScenario("LI-7", "a list that is not older", ParityScenarios::notOlder),
                new ParityScenario(
                        "GE-1", "an object that is not older", ParityScenarios::notOlderObject));
    }

    private static void created(ScenarioContext s) {
        s.create(secret(s.namespace(), "first"));
        try (var watch = s.watch("/api/v1/namespaces/{ns}/secrets" + LAST)) {
            s.create(secret(s.namespace(), "x").label("app", "v"));
            s.create(secret(s.namespace(), "y"));
            watch.expect(2);
        }
    }

    private static void enters(ScenarioContext s) {
        s.create(pod(s.namespace(), "x").label("app", "w"));
        try (var watch = s.watch(PODS_PATH + LAST + APP_V)) {
            s.label(PODS, "x", "app", "\"v\"");
            watch.expect(1);
        }
    }

    private static void changes(ScenarioContext s) {
        s.create(pod(s.namespace(), "x").label("app", "v"));
        try (var watch = s.watch(PODS_PATH + LAST + APP_V)) {
            s.label(PODS, "x", "more", "\"yes\"");
            s.label(PODS, "x", "more", "null");
            watch.expect(2);
        }
    }

    private static void leaves(ScenarioContext s) {
        s.create(pod(s.namespace(), "x").label("app", "v"));
        try (var watch = s.watch(PODS_PATH + LAST + APP_V)) {
            s.label(PODS, "x", "app", "\"w\"");
            s.label(PODS, "x", "app", "\"u\"");
            s.label(PODS, "x", "app", "\"v\"");
            s.label(PODS, "x", "app", "null");
            watch.expect(3);
        }
    }

    private static void outside(ScenarioContext s) {
        s.create(pod(s.namespace(), "x").label("app", "w"));
        try (var watch = s.watch(PODS_PATH + LAST + APP_V)) {
            s.label(PODS, "x", "more", "\"yes\"");
            s.create(pod(s.namespace(), "y"));
            marker(s, watch);
        }
    }

    /** The next event shows that none came before it. */
    private static void marker(ScenarioContext s, ScenarioContext.WatchedSide watch) {
        s.create(pod(s.namespace(), "marker").label("app", "v"));
        watch.expect(1);
    }

    private static void deleted(ScenarioContext s) {
        s.create(pod(s.namespace(), "x").label("app", "v"));
        try (var watch = s.watch(PODS_PATH + LAST + APP_V);
                var all = s.watch(PODS_PATH + LAST)) {
            s.delete(PODS, "x");
            watch.expect(1);
            all.expect(1);
        }
    }

    private static void unseen(ScenarioContext s) {
        s.create(pod(s.namespace(), "x").label("app", "w"));
        try (var watch = s.watch(PODS_PATH + LAST + APP_V)) {
            s.delete(PODS, "x");
            marker(s, watch);
        }
    }

    private static void replaced(ScenarioContext s) {
        s.create(pod(s.namespace(), "x").label("app", "v"));
        try (var watch = s.watch(PODS_PATH + LAST + APP_V)) {
            s.delete(PODS, "x");
            s.create(pod(s.namespace(), "x").label("app", "v"));
            watch.expect(2);
        }
    }

    private static void phases(ScenarioContext s) {
        s.create(pod(s.namespace(), "x"));
        try (var watch = s.watch(PODS_PATH + LAST + "&fieldSelector=status.phase%3DRunning")) {
            s.phase(PODS, "x", "Running");
            s.label(PODS, "x", "app", "\"v\"");
            s.phase(PODS, "x", "Failed");
            s.delete(PODS, "x");
            s.create(pod(s.namespace(), "y"));
            s.phase(PODS, "y", "Running");
            watch.expect(4);
        }
    }

    /** All shards together show everything; each shows its objects, and those that leave it. */
    private static void shards(ScenarioContext s) {
        String range = "shardRange(object.metadata.uid,'0x%s','0x%s')";
        String half = "8000000000000000";
        String low = range.formatted("0".repeat(16), half);
        String high = range.formatted(half, "1" + "0".repeat(16));
        String here = "&labelSelector=!gone&shardSelector=";
        List<String> names = List.of("a", "b", "c", "d", "e", "f", "g", "h");
        s.create(pod(s.namespace(), "marker"));
        try (var watch = s.watch(PODS_PATH + LAST + here + low + "%7C%7C" + high)) {
            names.forEach(name -> s.create(pod(s.namespace(), name)));
            names.forEach(name -> s.label(PODS, name, "app", "\"v\""));
            names.forEach(name -> s.label(PODS, name, "gone", "\"v\""));
            names.forEach(name -> s.label(PODS, name, "app", "\"w\""));
            watch.expect(3 * names.size());
        }
        s.settle(PODS_PATH);
        for (String shard : List.of(low, high)) {
            s.get(PODS_PATH + "?shardSelector=" + shard);
            s.get(PODS_PATH + "?watch=1&timeoutSeconds=2&resourceVersion={r1}" + here + shard);
        }
    }

    private static void oneName(ScenarioContext s) {
        s.create(pod(s.namespace(), "x"));
        try (var watch = s.watch(PODS_PATH + LAST + "&fieldSelector=metadata.name%3Dmarker")) {
            s.label(PODS, "x", "app", "\"v\"");
            marker(s, watch);
            s.delete(PODS, "x");
            s.delete(PODS, "marker");
            watch.expect(1);
        }
    }

    private static void replayed(ScenarioContext s, String selector) {
        s.create(pod(s.namespace(), "x").label("app", "v"));
        s.label(PODS, "x", "more", "\"yes\"");
        s.create(pod(s.namespace(), "y"));
        s.label(PODS, "x", "app", "\"w\"");
        s.label(PODS, "y", "app", "\"v\"");
        s.delete(PODS, "y");
        s.create(pod(s.namespace(), "z").label("app", "v"));
        s.settle(PODS_PATH);
        try (var watch = s.watch(PODS_PATH + "?watch=1&resourceVersion={r1}" + selector)) {
            watch.expect(selector.isEmpty() ? 6 : 5);
        }
        try (var watch = s.watch(PODS_PATH + "?watch=1&resourceVersion={r4}" + selector)) {
            watch.expect(3);
        }
    }

    private static void future(ScenarioContext s) {
        s.create(pod(s.namespace(), "x"));
        s.settle(PODS_PATH);
        try (var watch = s.watch(PODS_PATH + "?watch=1&resourceVersion=" + s.revision(3))) {
            for (int i = 0; i < 5; i++) {
                s.label(PODS, "x", "count", "\"%d\"".formatted(i));
            }
            watch.expect(2);
        }
    }

    private static void initial(ScenarioContext s) {
        s.create(pod(s.namespace(), "x").label("app", "v"));
        s.create(pod(s.namespace(), "y").label("app", "w"));
        s.settle(PODS_PATH);
        String initial = "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
        try (var all = s.watch(PODS_PATH + initial + BOOKMARKS);
                var some = s.watch(PODS_PATH + initial + BOOKMARKS + APP_V);
                var old = s.watch(PODS_PATH + "?watch=1")) {
            s.label(PODS, "y", "app", "\"v\"");
            s.delete(PODS, "x");
            all.expect(5);
            some.expect(4);
            old.expect(4);
        }
    }

    private static void live(ScenarioContext s) {
        s.create(pod(s.namespace(), "x").label("app", "v"));
        s.settle(PODS_PATH);
        String live = "?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan";
        try (var any = s.watch(PODS_PATH + live + "&resourceVersion=0");
                var newest = s.watch(PODS_PATH + live)) {
            s.create(pod(s.namespace(), "y"));
            any.expect(1);
            newest.expect(1);
        }
    }

    private static void deprecated(ScenarioContext s) {
        s.create(pod(s.namespace(), "x").label("app", "v"));
        s.settle(PODS_PATH);
        try (var watch =
                s.watch("/api/v1/watch/namespaces/{ns}/pods/x" + "?allowWatchBookmarks=1")) {
            watch.expect(1);
            s.create(pod(s.namespace(), "y"));
            s.label(PODS, "x", "app", "\"w\"");
            s.delete(PODS, "x");
            watch.expect(2);
        }
    }

    private static void deprecatedAll(ScenarioContext s) {
        s.create(pod(s.namespace(), "x").label("app", "v"));
        try (var watch = s.watch("/api/v1/watch/namespaces/{ns}/pods?resourceVersion={last}")) {
            s.create(pod(s.namespace(), "y"));
            s.delete(PODS, "x");
            watch.expect(2);
        }
    }

    /**
     * Each watch gets an event first: only what comes after that is certainly no replay
     * (list-watch.md#bm-7).
     */
    private static void bookmarks(ScenarioContext s) {
        String other = s.namespace() + "-other";
        s.ensureNamespace(other);
        s.create(pod(s.namespace(), "x"));
        s.settle(PODS_PATH);
        String briefly = LAST + "&timeoutSeconds=8";
        String selected = "&fieldSelector=metadata.namespace%3D" + other;
        try (var wanted = s.watch(PODS_PATH + briefly + BOOKMARKS);
                var unwanted = s.watch(PODS_PATH + briefly);
                var elsewhere = s.watch("/api/v1/pods" + briefly + BOOKMARKS + selected)) {
            s.create(pod(other, "y"));
            elsewhere.expect(1);
            s.create(pod(s.namespace(), "z"));
            wanted.expectEnd();
            unwanted.expectEnd();
            elsewhere.expectEnd();
        }
    }

    private static void custom(ScenarioContext s) {
        s.create(widget(s.namespace(), "one", 1));
        try (var watch = s.watch(WIDGETS_PATH + LAST);
                var small = s.watch(WIDGETS_PATH + LAST + "&fieldSelector=spec.size%3D2")) {
            s.create(widget(s.namespace(), "two", 2));
            s.label(WIDGETS, "one", "app", "\"v\"");
            s.delete(WIDGETS, "one");
            s.delete(WIDGETS, "two");
            watch.expect(4);
            small.expect(2);
        }
    }

    private static void formed(ScenarioContext s, String accept, UnaryOperator<String> comparable) {
        s.create(pod(s.namespace(), "x").label("app", "v"));
        s.settle(PODS_PATH);
        try (var watch = s.watch(PODS_PATH + "?watch=1" + BOOKMARKS, comparable, accept)) {
            watch.expect(2);
            s.label(PODS, "x", "app", "\"w\"");
            s.delete(PODS, "x");
            watch.expect(2);
        }
    }

    private static void formedCustom(ScenarioContext s, String accept) {
        s.create(widget(s.namespace(), "one", 1));
        s.settle(WIDGETS_PATH);
        try (var watch = s.watch(WIDGETS_PATH + LAST, accept)) {
            s.label(WIDGETS, "one", "app", "\"w\"");
            s.delete(WIDGETS, "one");
            watch.expect(2);
        }
    }

    private static void three(ScenarioContext s) {
        s.create(pod(s.namespace(), "x").label("app", "v"));
        s.create(pod(s.namespace(), "y").label("app", "w"));
        s.create(pod(s.namespace(), "z").label("app", "v"));
        s.settle(PODS_PATH);
    }

    private static void pages(ScenarioContext s) {
        three(s);
        s.get(PODS_PATH + "?limit=1");
        s.delete(PODS, "y");
        s.create(pod(s.namespace(), "later"));
        s.settle(PODS_PATH);
        s.get(PODS_PATH + "?limit=1&continue={token}");
        s.get(PODS_PATH + "?limit=1&continue={token}");
        s.get(PODS_PATH + "?resourceVersion={last}");
    }

    private static void changingPages(ScenarioContext s) {
        three(s);
        s.get(PODS_PATH + "?limit=1");
        s.create(pod(s.namespace(), "yy"));
        s.label(PODS, "z", "app", "\"w\"");
        s.label(PODS, "y", "app", "null");
        s.settle(PODS_PATH);
        s.get(PODS_PATH + "?continue={token}");
        s.get(PODS_PATH + "?continue={token}" + APP_V);
    }

    private static void exact(ScenarioContext s) {
        three(s);
        s.label(PODS, "x", "app", "\"w\"");
        s.delete(PODS, "y");
        s.create(pod(s.namespace(), "w"));
        s.settle(PODS_PATH);
        for (String revision : List.of("{r1}", "{r2}", "{r3}", "{r4}", "{r5}")) {
            String exact = "?resourceVersionMatch=Exact&resourceVersion=" + revision;
            s.get(PODS_PATH + exact);
            s.get(PODS_PATH + exact + APP_V);
        }
    }

    private static void between(ScenarioContext s) {
        s.create(pod(s.namespace(), "x"));
        s.create(secret(s.namespace(), "between"));
        s.create(pod(s.namespace(), "y"));
        s.settle(PODS_PATH);
        s.get(PODS_PATH + "?resourceVersionMatch=Exact&resourceVersion={r2}");
        s.get(PODS_PATH + "?resourceVersion={r2}");
        s.get(PODS_PATH + "?resourceVersion={r2}&limit=1");
    }

    private static void exactPages(ScenarioContext s) {
        three(s);
        s.delete(PODS, "z");
        s.create(pod(s.namespace(), "w"));
        s.settle(PODS_PATH);
        s.get(PODS_PATH + "?limit=1&resourceVersion={r3}");
        s.get(PODS_PATH + "?limit=1&continue={token}");
        s.get(PODS_PATH + "?limit=1&continue={token}");
    }

    private static void notOlder(ScenarioContext s) {
        three(s);
        s.get(PODS_PATH + "?resourceVersion={r3}");
        s.get(PODS_PATH + "?resourceVersion={r1}");
        s.get(PODS_PATH + "?resourceVersion={r3}&limit=2&resourceVersionMatch=NotOlderThan");
        s.label(PODS, "x", "app", "\"w\"");
        s.get(PODS_PATH + "?resourceVersion={last}");
    }

    private static void notOlderObject(ScenarioContext s) {
        s.create(pod(s.namespace(), "x"));
        s.get(PODS_PATH + "/x?resourceVersion={last}");
        s.label(PODS, "x", "app", "\"w\"");
        s.get(PODS_PATH + "/x?resourceVersion={last}");
        s.create(pod(s.namespace(), "y"));
        s.get(PODS_PATH + "/x?resourceVersion={last}");
        s.get(PODS_PATH + "/none?resourceVersion={last}");
    }
}
