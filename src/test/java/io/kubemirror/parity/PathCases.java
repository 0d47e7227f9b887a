package io.kubemirror.parity;

import static io.kubemirror.parity.CaseSection.getting;
import static io.kubemirror.parity.CaseSection.sending;

import java.util.List;

/** Paths and methods (list-watch.md#paths). */
final class PathCases {

    private static final String POD = "/api/v1/namespaces/a/pods/x";
    private static final String WIDGETS = "/apis/example.com/v1/namespaces/a/widgets";

    private PathCases() {}

    static List<CaseSection> sections() {
        return List.of(
                collections(),
                deprecated(),
                warnings(),
                unknown(),
                methods(),
                encodings(),
                queries());
    }

    private static CaseSection collections() {
        return new CaseSection("Paths")
                .get(
                        "PA-1",
                        "/api/v1/pods",
                        "/api/v1/nodes",
                        "/api/v1/configmaps",
                        "/api/v1/events",
                        "/api/v1/services",
                        "/apis/apps/v1/deployments",
                        "/apis/batch/v1/jobs",
                        "/apis/example.com/v1/widgets",
                        "/apis/example.com/v1/planets")
                .get(
                        "PA-2",
                        "/api/v1/namespaces/a/pods",
                        "/api/v1/namespaces/nowhere/pods",
                        "/apis/apps/v1/namespaces/t/deployments",
                        WIDGETS,
                        "/apis/example.com/v1/namespaces/nowhere/widgets")
                .get(
                        "PA-3",
                        POD,
                        "/api/v1/namespaces/a/pods/none",
                        "/api/v1/namespaces/nowhere/pods/x",
                        "/api/v1/nodes/n1",
                        "/api/v1/nodes/none",
                        "/api/v1/namespaces/t/configmaps/text",
                        "/api/v1/namespaces/t/events/e1",
                        "/apis/apps/v1/namespaces/t/deployments/d1",
                        "/apis/apps/v1/namespaces/t/deployments/none",
                        WIDGETS + "/two",
                        WIDGETS + "/none",
                        "/apis/example.com/v1/planets/earth",
                        "/apis/example.com/v1/planets/none")
                .get("PA-4", "/api/v1/namespaces", "/api/v1/namespaces/a")
                .get("PA-4", "/api/v1/namespaces/none")
                .get("PA-5", POD + "?watch=true", WIDGETS + "/one?watch=1")
                .get("PA-5", "/api/v1/namespaces/a?watch=true")
                .get("PA-6", watch("/api/v1/pods") + "&fieldSelector=metadata.name%3Dx")
                .get("PA-6", watch("/api/v1/pods") + "&fieldSelector=metadata.name%3Dnone");
    }

    private static String watch(String collection) {
        return collection + "?watch=1&timeoutSeconds=2";
    }

    private static CaseSection deprecated() {
        String named = "/api/v1/watch/namespaces/a/pods/x?timeoutSeconds=2";
        return new CaseSection("Deprecated paths of watches")
                .get(
                        "PA-7",
                        "/api/v1/watch/pods?timeoutSeconds=2",
                        "/api/v1/watch/pods?timeoutSeconds=2&watch=false",
                        "/api/v1/watch/namespaces/a/pods?timeoutSeconds=2",
                        "/api/v1/watch/nodes?timeoutSeconds=2",
                        "/apis/apps/v1/watch/deployments?timeoutSeconds=2",
                        "/apis/apps/v1/watch/namespaces/t/deployments?timeoutSeconds=2")
                .get(
                        "PA-8",
                        named,
                        "/api/v1/watch/namespaces/a/pods/none?timeoutSeconds=2",
                        "/api/v1/watch/nodes/n1?timeoutSeconds=2",
                        "/api/v1/watch/namespaces/a?timeoutSeconds=2",
                        "/apis/apps/v1/watch/namespaces/t/deployments/d1?timeoutSeconds=2")
                .get(
                        "PA-9",
                        "/api/v1/watch/pods?timeoutSeconds=2&allowWatchBookmarks=true",
                        "/api/v1/watch/pods?timeoutSeconds=2&resourceVersionMatch=Exact"
                                + "&resourceVersion={now}",
                        "/api/v1/watch/pods?timeoutSeconds=2&resourceVersionMatch=NotOlderThan"
                                + "&resourceVersion=0&allowWatchBookmarks=true",
                        "/api/v1/watch/pods?timeoutSeconds=2&sendInitialEvents=true",
                        "/api/v1/watch/pods?timeoutSeconds=2&resourceVersionMatch=NotOlderThan",
                        "/api/v1/watch/pods?timeoutSeconds=2&resourceVersion={now}",
                        "/api/v1/watch/pods?timeoutSeconds=2&resourceVersion={now-1}",
                        "/api/v1/watch/pods?watch=true&timeoutSeconds=2&allowWatchBookmarks=true")
                .get("GO-23", named + "&allowWatchBookmarks=true")
                .get(
                        "PA-10",
                        named + "&fieldSelector=metadata.name%3Dy",
                        named + "&fieldSelector=metadata.name!%3Dx",
                        named + "&fieldSelector=spec.nodeName%3Dn1",
                        named + "&fieldSelector=metadata.name%3Dx",
                        named + "&fieldSelector=metadata.name%3Dx,status.phase%3DFailed",
                        named + "&fieldSelector=metadata.name%3Dx,status.phase%3DRunning")
                .get("PA-11", "/api/v1/pods/x", "/api/v1/watch/pods/x")
                .get("PA-11", "/apis/apps/v1/deployments/d1")
                .add(getting("PA-11", "/apis/example.com/v1/widgets/one"))
                .get("PA-12", "/api/v1/namespaces/a/nodes", "/api/v1/namespaces/a/nodes/n1")
                .add(getting("PA-12", "/apis/example.com/v1/namespaces/a/planets"))
                .add(getting("PA-12", "/apis/example.com/v1/namespaces/a/planets/earth"))
                .add(getting("PA-7", "/apis/example.com/v1/watch/widgets?timeoutSeconds=2"));
    }

    private static CaseSection warnings() {
        CaseSection section = new CaseSection("Warnings of deprecated types");
        for (String plural : List.of("/api/v1/%sendpoints", "/apis/example.com/v1/%scomets")) {
            String all = plural.formatted("");
            String inA = plural.formatted("namespaces/a/");
            section.get("WN-1", all, inA, all + "?limit=1", all + "?limit=x")
                    .get("WN-1", inA + "/halley", inA + "/none")
                    .get("WN-1", watch(all), watch(inA) + "&resourceVersionMatch=x");
        }
        return section.get("WN-1", "/api/v1/watch/endpoints?timeoutSeconds=2");
    }

    private static CaseSection unknown() {
        String unmirrored = "only what is configured is served";
        return new CaseSection("What is not there")
                .get("PA-13", "/api/v2", "/apis/apps/v9", "/apis/nothing.example.org")
                .add(notMirrored("/api/v2/pods", "pods.v2.", "pods.v1."))
                .add(notMirrored("/api/v1/bananas", "bananas"))
                .add(notMirrored("/api/v1/namespaces/a/bananas", "bananas"))
                .add(notMirrored("/api/v1/namespaces/a/bananas/x", "bananas"))
                .add(
                        notMirrored(
                                "/apis/apps/v9/deployments",
                                "deployments.v9.apps",
                                "deployments.v1.apps"))
                .add(notMirrored("/apis/apps/v1/bananas", "bananas.apps"))
                .add(
                        notMirrored(
                                "/apis/nothing.example.org/v1/things",
                                "things.nothing.example.org"))
                .add(notMirrored("/apis/example.com/v1/gadgets", "gadgets.example.com"))
                .add(
                        notMirrored(
                                "/apis/example.com/v9/widgets",
                                "widgets.v9.example.com",
                                "widgets.v1.example.com"))
                .get("PA-13", "/apis/example.com/v9", "/nowhere", "/favicon.ico", "/apifoo")
                .add(
                        notMirrored(
                                "/apis/example.com/v9/widgets/one/x",
                                "widgets.v9.example.com",
                                "widgets.v1.example.com"))
                .add(notMirrored("/apis/nothing/v1/x/y/z", "x.nothing"))
                .add(
                        sending("PA-13", "POST", "/apis/nothing.example.org/v1/things")
                                .but(
                                        IntendedDifferences.notMirrored(
                                                "things.nothing.example.org", mirrored())))
                .add(sending("PA-13", "DELETE", "/apis/nothing.example.org"))
                .add(sending("PA-13", "POST", "/nowhere"))
                .add(notMirrored("/api/v1/serviceaccounts", "serviceaccounts"))
                .add(
                        notMirrored(
                                "/apis/policy/v1/poddisruptionbudgets",
                                "poddisruptionbudgets.policy"))
                .add(
                        getting("PA-13", "/apis/policy/v1")
                                .but(IntendedDifferences.unserved(unmirrored)))
                .add(getting("PA-13", "/apis/policy").but(IntendedDifferences.unserved(unmirrored)))
                .add(getting("PA-15", POD + "/status").but(IntendedDifferences.subresource()))
                .add(
                        getting("PA-15", "/api/v1/namespaces/a/status")
                                .but(IntendedDifferences.subresource()))
                .add(
                        getting("PA-15", "/api/v1/namespaces/a/pods/none/status")
                                .but(IntendedDifferences.subresource()))
                .get("PA-15", POD + "/none", "/api/v1/namespaces/none/status/x/y")
                .add(
                        getting("PA-15", "/apis/apps/v1/namespaces/t/deployments/d1/scale")
                                .but(IntendedDifferences.subresource()));
    }

    private static ParityCase notMirrored(String target, String name) {
        return notMirrored(target, name, mirrored());
    }

    private static String mirrored() {
        int shown = 8;
        return String.join(", ", ParityObjects.MIRRORED.stream().limit(shown).toList())
                + ", and "
                + (ParityObjects.MIRRORED.size() - shown)
                + " more";
    }

    private static ParityCase notMirrored(String target, String name, String but) {
        return getting("PA-13", target).but(IntendedDifferences.notMirrored(name, but));
    }

    private static CaseSection methods() {
        CaseSection section = new CaseSection("Methods");
        for (String method : List.of("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")) {
            for (String target : List.of("/api/v1/namespaces/a/pods", POD, WIDGETS)) {
                // Only kubemirror is meant to refuse; the server must not do it either.
                section.add(
                        sending("PA-14", method, target + "?dryRun=All")
                                .but(
                                        List.of("OPTIONS", "TRACE").contains(method)
                                                ? IntendedDifferences.noMethod()
                                                : IntendedDifferences.readOnly()));
            }
        }
        return section.add(
                        sending("PA-18", "HEAD", "/api/v1/pods").but(IntendedDifferences.noHead()))
                .add(sending("PA-18", "HEAD", POD).but(IntendedDifferences.noHead()))
                .add(sending("PA-18", "HEAD", WIDGETS).but(IntendedDifferences.noHead()))
                .add(sending("PA-18", "HEAD", "/api/v1/bananas"));
    }

    private static CaseSection encodings() {
        return new CaseSection("Encodings of paths")
                .get("PA-16a", WIDGETS + "/", "/apis/example.com/v1/planets/earth/")
                .get("PA-16b", "/api/v1//pods", "/api//v1/pods", "/apis//v1")
                .get("PA-16b", "/apis/nothing.example.org//v1", "/apis/apps//v1")
                .add(
                        getting("PA-16b", "/api/v1/namespaces//pods")
                                .but(
                                        IntendedDifferences.unserved(
                                                "a path with an empty segment is refused, where the"
                                                        + " API server may list all namespaces")))
                .get(
                        "PA-19",
                        "/api/v1/namespaces/a/pods/..",
                        "/api/v1/namespaces/a/pods/.",
                        "/api/v1/namespaces/a/pods/%2e%2e",
                        "/api/v1/namespaces/a/pods/%2e",
                        "/api/v1/namespaces/a/pods/x%25",
                        "/api/v1/nodes/..",
                        "/api/v1/namespaces/a/configmaps/%2E%2E",
                        WIDGETS + "/%2e%2e")
                .get("PA-19a", "/api/v1/namespaces/a/pods/x%2Fy")
                .add(
                        getting("PA-19a", WIDGETS + "/one%2Fy")
                                .but(IntendedDifferences.noSubresource()))
                .add(
                        getting("PA-19a", WIDGETS + "/one/status")
                                .but(IntendedDifferences.subresource()))
                .add(
                        getting("PA-19a", WIDGETS + "/none/x/y/z")
                                .but(IntendedDifferences.noSubresource()))
                .add(
                        getting("PA-19a", "/apis/example.com/v1/planets/earth/x")
                                .but(IntendedDifferences.noSubresource()))
                .get("PA-19b", "/api/v1/namespaces/a/pods/X_Y", "/api/v1/namespaces/a/pods/%20")
                .get("PA-19b", "/api/v1/namespaces/a/pods/%C3%A9", "/api/v1/nodes/x.y.z")
                .get(
                        "PA-19b",
                        "/api/v1/namespaces/a/pods/x;y=1",
                        "/api/v1/namespaces/a/pods/x.json")
                .get("PA-19b", "/api/v1/namespaces/a/pods/%3Cb%3E%26")
                .get("PA-19b", "/api/v1/namespaces/a/pods/%78")
                .get("PA-19b", "/%61pi/v1/nodes/n1")
                .add(
                        getting("PA-19c", "/api/v1/namespaces/a/pods/%zz")
                                .but(IntendedDifferences.neverStored()))
                .add(getting("PA-19c", "/api/v1/pods/%").but(IntendedDifferences.neverStored()))
                .add(getting("PA-19c", "/x;%").but(IntendedDifferences.neverStored()))
                .add(getting("PA-19c", "/livez;%zz").but(IntendedDifferences.neverStored()))
                .add(getting("PA-19c", "/api/v1/pods;%").but(IntendedDifferences.neverStored()))
                .get("PA-19c", "/x;y", "/x;y/../z", "/version;", "/;");
    }

    private static CaseSection queries() {
        return new CaseSection("Queries")
                .get("PA-16", "/api/v1/pods?&limit=2", "/api/v1/pods?limit=2&&", "/api/v1/pods?")
                .get(
                        "PA-17",
                        "/api/v1/pods?limit=1&limit=2",
                        "/api/v1/pods?limit=&limit=2",
                        "/api/v1/pods?labelSelector=&labelSelector=app%3Dv",
                        "/api/v1/pods?Limit=1",
                        "/api/v1/pods?unknown=1&limit=1",
                        "/api/v1/pods?LABELSELECTOR=app")
                .get(
                        "PA-17a",
                        "/api/v1/pods?limit=1;x=1",
                        "/api/v1/pods?limit=%zz",
                        "/api/v1/pods?labelSelector=app+%3D+v",
                        "/api/v1/pods?labelSelector=app%20%3D%20v",
                        "/api/v1/pods?labelSelector=app=v",
                        "/api/v1/pods?%6Cimit=1");
    }
}
