package io.kubemirror.parity;

import static io.kubemirror.parity.CaseSection.getting;

import java.util.List;

/** Lists, pages and gets (list-watch.md#list-combinations, #paging, #gets). */
final class ListCases {

    private static final String PODS = "/api/v1/pods";
    private static final String IN_A = "/api/v1/namespaces/a/pods";
    private static final String POD = IN_A + "/x";
    private static final String WIDGETS = "/apis/example.com/v1/widgets";

    private ListCases() {}

    static List<CaseSection> sections() {
        return List.of(combinations(), rules(), pages(), tokens(), gets());
    }

    private static CaseSection combinations() {
        CaseSection section = new CaseSection("Lists");
        section.get("LI-1", PODS);
        section.get("EN-2", WIDGETS);
        section.get("LI-2", PODS + "?limit=2", WIDGETS + "?limit=1", PODS + "?limit=3");
        section.get("LI-2", PODS + "?limit=500");
        section.get("LI-3", PODS + "?resourceVersion=0", WIDGETS + "?resourceVersion=0");
        section.get("LI-4", PODS + "?resourceVersion=0&limit=1");
        section.get("LI-5", PODS + "?resourceVersion=0&resourceVersionMatch=NotOlderThan");
        section.get("LI-5", PODS + "?resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=1");
        section.get("LI-6", PODS + "?resourceVersion=0&resourceVersionMatch=Exact&limit=1");
        section.get("LI-6", PODS + "?resourceVersion=0&resourceVersionMatch=Exact&continue=x");
        section.get("LI-7", PODS + "?resourceVersion={now}", PODS + "?resourceVersion={a_x}");
        section.get("LI-7", PODS + "?resourceVersion=1");
        section.get("LI-8", PODS + "?resourceVersion={now}&resourceVersionMatch=NotOlderThan");
        section.get("LI-8", PODS + "?resourceVersion={a_x}&resourceVersionMatch=NotOlderThan");
        section.get("LI-9", PODS + "?resourceVersion={now}&limit=1");
        section.get(
                "LI-9",
                PODS + "?resourceVersion={now}&limit=5",
                WIDGETS + "?resourceVersion={now}&limit=1");
        section.get(
                "LI-10", PODS + "?resourceVersion={a_x}&resourceVersionMatch=NotOlderThan&limit=1");
        section.get("LI-11", PODS + "?resourceVersion={now}&resourceVersionMatch=Exact");
        section.get("LI-11", WIDGETS + "?resourceVersion={now}&resourceVersionMatch=Exact");
        section.get("LI-12", PODS + "?resourceVersion={now}&resourceVersionMatch=Exact&limit=1");
        section.add(getting("LI-13", PODS + "?limit=1").then(PODS + "?continue={token}"));
        section.add(getting("LI-13", PODS + "?limit=1").then(PODS + "?limit=1&continue={token}"));
        section.add(
                getting("LI-14", PODS + "?limit=1")
                        .then(PODS + "?limit=1&continue={token}&resourceVersion=0"));
        section.add(
                getting("LI-15", PODS + "?limit=1")
                        .then(PODS + "?limit=1&continue={token}&resourceVersion={now}"));
        section.get("LI-15", PODS + "?continue=x&resourceVersion={now}");
        section.get("LI-16", PODS + "?continue={at-now:/a/x}&resourceVersionMatch=Exact");
        section.get("LI-16", PODS + "?continue=x&resourceVersionMatch=Exact&resourceVersion=5");
        section.get("LI-17", PODS + "?resourceVersionMatch=NotOlderThan&limit=1");
        return section;
    }

    private static CaseSection rules() {
        CaseSection section = new CaseSection("Rules of lists");
        section.get("LI-20", PODS + "?resourceVersion={now+1000}");
        section.get(
                "LI-20",
                PODS + "?resourceVersion={now+1000}&resourceVersionMatch=NotOlderThan&limit=1");
        section.get("LI-20", PODS + "?resourceVersion={now+1000}&resourceVersionMatch=Exact");
        section.get("LI-20", PODS + "?resourceVersion={now+1000}&limit=1");
        section.get("LI-20", WIDGETS + "?resourceVersion={now+1000}");
        section.get("GO-8", PODS + "?resourceVersion={now+90}");
        section.add(
                getting("LI-21", PODS + "?resourceVersion={a_x}&resourceVersionMatch=Exact")
                        .but(IntendedDifferences.forgotten()));
        section.add(
                getting("LI-21", PODS + "?resourceVersion={a_x}&limit=1")
                        .but(IntendedDifferences.forgotten()));
        section.add(
                getting("GO-6", PODS + "?resourceVersion={a_y}&limit=1")
                        .but(IntendedDifferences.forgotten()));
        section.get("LI-24", PODS + "?resourceVersion=0", "/api/v1/configmaps?resourceVersion=0");
        section.get("LI-25", PODS + "?resourceVersion=0&labelSelector=app");
        section.get("GO-1", PODS);
        section.get("GO-7", PODS + "?resourceVersion={a_y}");
        section.get("GO-9", IN_A + "?labelSelector=none");
        section.get("EN-6", IN_A + "?labelSelector=none&resourceVersion=0");
        section.get(
                "EN-6",
                "/apis/example.com/v1/namespaces/z/widgets",
                WIDGETS + "?labelSelector=none");
        section.get(
                "EN-7", "/api/v1/namespaces/t/events", WIDGETS, "/api/v1/namespaces/t/configmaps");
        return section;
    }

    private static CaseSection pages() {
        String byOne = PODS + "?limit=1";
        String next = byOne + "&continue={token}";
        CaseSection section = new CaseSection("Pages");
        section.get(
                "CO-1", byOne, IN_A + "?limit=1", "/api/v1/nodes?limit=1", WIDGETS + "?limit=1");
        section.get("GO-2", byOne);
        section.get("GO-4", byOne + "&labelSelector=app%3Dv");
        section.get("GO-5", byOne + "&resourceVersion=0");
        section.get("CO-1a", PODS + "?continue={at-now:/a/w}", PODS + "?continue={at-now:/zzz/z}");
        section.get("CO-1a", PODS + "?continue={at-now:a/x}", IN_A + "?continue={at-now:/x}");
        section.add(getting("CO-2", byOne).then(next).then(next));
        section.add(
                getting("CO-2", "/api/v1/namespaces?limit=2")
                        .then("/api/v1/namespaces?limit=2&continue={token}")
                        .then("/api/v1/namespaces?limit=2&continue={token}"));
        section.add(
                getting("CO-2", WIDGETS + "?limit=1").then(WIDGETS + "?limit=1&continue={token}"));
        section.add(getting("CO-4", PODS + "?limit=2").then(PODS + "?limit=2&continue={token}"));
        section.get("CO-5", "/api/v1/configmaps?limit=1&labelSelector=n");
        section.get("CO-5", "/api/v1/pods?limit=1&fieldSelector=metadata.name%3Dx");
        section.get("CO-5", "/api/v1/namespaces/l/configmaps?limit=3");
        section.add(getting("CO-6", byOne).then(PODS + "?limit=2&continue={token}"));
        section.add(getting("CO-6", byOne).then(PODS + "?continue={token}"));
        section.add(getting("CO-6", byOne).then(PODS + "?limit=0&continue={token}"));
        String selected = "/api/v1/namespaces/l/configmaps?limit=1&labelSelector=app%3Dv";
        section.add(getting("CO-7", selected).then(selected + "&continue={token}"));
        section.add(
                getting("CO-7", byOne + "&fieldSelector=metadata.name%3Dx")
                        .then(next + "&fieldSelector=metadata.name%3Dx"));
        section.add(getting("CO-8", byOne + "&labelSelector=app%3Dv").then(next));
        section.add(getting("CO-8", byOne).then(IN_A + "?continue={token}"));
        section.add(getting("CO-8", IN_A + "?limit=1").then(PODS + "?continue={token}"));
        section.add(
                getting("CO-8", "/api/v1/namespaces/l/configmaps?limit=1")
                        .then(IN_A + "?continue={token}"));
        section.add(
                getting("FS-7", byOne + "&fieldSelector=metadata.namespace%3Da")
                        .then(next + "&fieldSelector=metadata.namespace%3Da")
                        .but(
                                new Difference.AnsweredLike(
                                        "the API server forgets in a token that the selector"
                                                + " narrowed the list, and loses the other pages",
                                        RawRequest.get(IN_A + "?limit=1&continue={at-now:/x}"))));
        section.add(
                getting("LI-10", byOne + "&resourceVersion=1&resourceVersionMatch=NotOlderThan")
                        .then(next));
        section.add(getting("LI-12", byOne + "&resourceVersion={now}").then(next));
        return section;
    }

    private static CaseSection tokens() {
        CaseSection section = new CaseSection("Tokens");
        for (String json :
                List.of(
                        "{\"v\":\"v9\",\"rv\":5,\"start\":\"/a/x\"}",
                        "{\"rv\":5,\"start\":\"/a/x\"}",
                        "{\"v\":\"meta.k8s.io/v1\",\"start\":\"/a/x\"}",
                        "{\"v\":\"meta.k8s.io/v1\",\"rv\":5}",
                        "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"\"}",
                        "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"/../x\"}",
                        "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"a//x\"}",
                        "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"a/x/\"}",
                        "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"a/./x\"}",
                        "{}",
                        "")) {
            section.get("CO-9", PODS + "?continue=" + TargetValues.token(json));
        }
        section.get(
                "CO-9", PODS + "?continue=x", PODS + "?continue=%21", PODS + "?continue=e30%3D");
        section.get(
                "CO-9", PODS + "?continue=%C3%A9", PODS + "?continue=ab%2Fc", PODS + "?continue=");
        section.get("CO-9", PODS + "?continue=none");
        section.get("CO-9", WIDGETS + "?continue=x", "/api/v1/nodes?continue=%21&limit=1");
        section.add(
                getting(
                                "CO-9",
                                PODS
                                        + "?continue="
                                        + TargetValues.token(
                                                "{\"v\":\"meta.k8s.io/v1\",\"rv\":\"x\"}"))
                        .but(
                                IntendedDifferences.wording(
                                        "cannot unmarshal string into Go struct field"
                                                + " continueToken.rv of type int64",
                                        "cannot unmarshal into Go struct field continueToken.rv")));
        section.add(
                getting("CO-9", PODS + "?continue=" + TargetValues.token("not json"))
                        .but(
                                IntendedDifferences.wording(
                                        "character 'o' in literal null (expecting 'u')",
                                        "character 'n' looking for beginning of value")));
        section.get(
                "CO-1a",
                PODS
                        + "?limit=2&continue="
                        + TargetValues.token(
                                "{\"v\":\"meta.k8s.io/v1\",\"rv\":-1,\"start\":\"/\"}"));
        section.get("CO-11", PODS + "?limit=1&continue=" + inconsistent(-1));
        section.get(
                "CO-11",
                PODS + "?continue=" + inconsistent(-1),
                IN_A + "?continue=" + inconsistent(-1));
        section.get("CO-11a", PODS + "?limit=1&continue=" + inconsistent(-7));
        section.get("CO-11a", PODS + "?limit=1&continue={at-now+1000:/a/x}");
        return section;
    }

    private static String inconsistent(int revision) {
        return TargetValues.token(
                "{\"v\":\"meta.k8s.io/v1\",\"rv\":%d,\"start\":\"a-b/x\\u0000\"}"
                        .formatted(revision));
    }

    private static CaseSection gets() {
        CaseSection section = new CaseSection("Gets");
        section.get("GE-1", POD, WIDGETS.replace("widgets", "namespaces/a/widgets/two"));
        section.get("GE-2", POD + "?resourceVersion=0", IN_A + "/none?resourceVersion=0");
        section.get("GE-3", POD + "?resourceVersion={now}", POD + "?resourceVersion=1");
        section.get("GE-3", POD + "?resourceVersion={now+1000}", POD + "?resourceVersion=");
        section.get("GE-4", IN_A + "/none", IN_A + "/none?resourceVersion={now}");
        section.get("GE-4", IN_A + "/none?resourceVersion={now+1000}");
        section.get(
                "GE-5",
                POD
                        + "?resourceVersionMatch=x&limit=y&continue=z&labelSelector=,&fieldSelector=,x");
        section.get(
                "GE-5", POD + "?labelSelector=app%3Dnone", POD + "?sendInitialEvents=1&watch=1");
        section.get("GO-22", POD + "?watch=true");
        return section;
    }
}
