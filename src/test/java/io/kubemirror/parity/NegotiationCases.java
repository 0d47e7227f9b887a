package io.kubemirror.parity;

import static io.kubemirror.parity.CaseSection.getting;

import java.util.List;

/** Media types, encodings and headers (list-watch.md#content-negotiation, #encoding). */
final class NegotiationCases {

    private static final String PODS = "/api/v1/pods";
    private static final String POD = "/api/v1/namespaces/a/pods/x";
    private static final String WATCH = PODS + "?watch=1&timeoutSeconds=2";
    private static final String WIDGETS = "/apis/example.com/v1/widgets";
    private static final String PROTOBUF = "application/vnd.kubernetes.protobuf";

    private NegotiationCases() {}

    static List<CaseSection> sections() {
        return List.of(types(), refused(), dropped(), pretty(), compressed());
    }

    private static CaseSection types() {
        CaseSection section = new CaseSection("Media types");
        for (String target : List.of(PODS, POD, WATCH, WIDGETS, "/api", "/apis/example.com")) {
            section.add(getting("NE-1", target).accepting(""));
            section.add(getting("NE-2", target).accepting("application/json"));
            section.add(getting("NE-2", target).accepting("*/*"));
        }
        section.add(getting("NE-2", WIDGETS).accepting("application/*"));
        accept(section, "NE-3", PODS, "text/plain, application/json", "application/json;q=0");
        accept(section, "NE-3", PODS, "application/json;q=x", "x, y/z;;, application/json");
        accept(
                section,
                "NE-3",
                PODS,
                "*/*;q=0.1, text/html",
                "application/json;q=0.5,text/plain;q=0.9");
        for (String target : List.of(PODS, POD, WATCH, WIDGETS)) {
            for (String accept : List.of(PROTOBUF + ",application/json", PROTOBUF + ", */*")) {
                ParityCase one = getting("NE-4", target).accepting(accept);
                section.add(
                        target.equals(WIDGETS)
                                ? one
                                : one.but(IntendedDifferences.jsonOf(RawRequest.get(target))));
            }
            accept(section, "NE-5", target, "application/cbor;q=1,application/json;q=0.9");
            accept(section, "NE-5", target, "application/json;q=0.9,application/cbor;q=1");
        }
        accept(section, "NE-7", WATCH, "application/json;stream=watch");
        accept(section, "NE-7", PODS, "application/json;stream=watch");
        refused(section, "NE-7", PODS, "application/json;stream=x");
        refused(section, "NE-7", WATCH, "application/json;stream=x");
        accept(section, "NE-7", WATCH, "application/json;stream=x, */*");
        accept(section, "NE-8", PODS, "application/json;charset=utf-8", "application/json;x=y;z");
        accept(section, "NE-8", WATCH, "application/json; charset=utf-8");
        accept(
                section,
                "NE-9",
                PODS,
                "application/json;as=Table;g=meta.k8s.io;v=v2,application/json");
        accept(
                section,
                "NE-11",
                PODS,
                "application/json;as=Other;g=meta.k8s.io;v=v1,application/json");
        refused(section, "NE-11", PODS, "application/json;as=Other;g=meta.k8s.io;v=v1");
        refused(
                section,
                "NE-11",
                PODS,
                "application/json;as=Table",
                "application/json;g=meta.k8s.io;v=v1");
        refused(section, "NE-11", POD, "application/json;as=Table;g=apps;v=v1");
        refused(section, "NE-11", WATCH, "application/json;as=Table;g=meta.k8s.io;v=v9");
        return section;
    }

    /** The API server of the tests is older than KEP-5958. */
    private static CaseSection dropped() {
        CaseSection section = new CaseSection("Less of each object");
        String drop = "application/json;drop=metadata.managedFields";
        for (String target : List.of(PODS, POD, WATCH, WIDGETS)) {
            section.add(
                    getting("NE-34", target)
                            .accepting(drop)
                            .but(IntendedDifferences.withoutManagedFields()));
            accept(section, "NE-34", target, "application/json;drop=spec", "*/*;drop=");
        }
        section.add(
                getting("NE-34", PODS)
                        .accepting(drop + "+metadata.managedFields")
                        .but(IntendedDifferences.duplicateField(PODS)));
        return section;
    }

    private static CaseSection accept(
            CaseSection section, String row, String target, String... accepted) {
        for (String accept : accepted) {
            section.add(getting(row, target).accepting(accept));
        }
        return section;
    }

    /** Media types that neither side serves. The error messages list different offers. */
    private static void refused(
            CaseSection section, String row, String target, String... accepted) {
        for (String accept : accepted) {
            section.add(
                    getting(row, target)
                            .accepting(accept)
                            .but(IntendedDifferences.offered(target)));
        }
    }

    private static CaseSection refused() {
        CaseSection section = new CaseSection("Media types that are not served");
        for (String target : List.of(PODS, POD, WATCH, WIDGETS, "/api", "/apis/example.com")) {
            refused(section, "NE-6", target, "text/plain", "APPLICATION/JSON", "x");
        }
        section.add(
                getting("NE-2", PODS)
                        .accepting("application/*")
                        .but(
                                new Difference.AnsweredLike(
                                        "`application/*` is JSON for all types",
                                        RawRequest.get(PODS))));
        section.add(
                getting("GO-28", PODS).accepting(PROTOBUF).but(IntendedDifferences.refused(PODS)));
        for (String target : List.of(POD, WATCH)) {
            for (String accept : List.of(PROTOBUF, "application/yaml")) {
                section.add(
                        getting("NE-6", target)
                                .accepting(accept)
                                .but(IntendedDifferences.refused(target)));
            }
        }
        refused(section, "ST-3", POD.replace("pods/x", "pods/none"), "text/plain");
        String table = "application/json;as=Table;g=meta.k8s.io;v=v1";
        accept(section, "ST-3", POD.replace("pods/x", "pods/none"), table);
        accept(section, "ST-3", PODS + "?limit=x", table, table + ",application/json");
        accept(
                section,
                "ST-3",
                PODS + "?resourceVersionMatch=x",
                "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
        return section;
    }

    private static CaseSection pretty() {
        CaseSection section = new CaseSection("Indented answers");
        for (String target : List.of(PODS, POD, WIDGETS, "/api", "/apis/example.com", WATCH)) {
            String mark = target.contains("?") ? "&" : "?";
            section.get("NE-12", target + mark + "pretty=true", target + mark + "pretty=1");
            section.add(getting("NE-12", target).with("User-Agent: curl/8.5.0"));
            section.add(getting("NE-12", target).accepting("application/json;pretty=1"));
        }
        section.get("NE-12", PODS + "?pretty=0", PODS + "?pretty=", PODS + "?pretty=True");
        for (String agent :
                List.of("Wget/1.21", "Mozilla/5.0 (X11)", "Mozilla/4.0", "Curl/8", "xcurl")) {
            section.add(getting("NE-12", POD).with("User-Agent: " + agent));
        }
        section.add(getting("NE-12", POD + "?pretty=false").with("User-Agent: curl/8.5.0"));
        section.add(getting("NE-12", POD + "?pretty=").with("User-Agent: curl/8.5.0"));
        section.add(
                getting("NE-12", POD)
                        .with("User-Agent: curl/8")
                        .accepting("application/json;pretty=0"));
        section.add(getting("NE-12", POD).accepting("application/json;pretty=true"));
        section.get("NE-12", POD.replace("/x", "/none?pretty=1"), "/api/v2?pretty=1");
        section.get("NE-12", PODS + "?limit=x&pretty=1", "/apis/nothing.example.org?pretty=1");
        section.add(getting("NE-12", PODS + "?limit=x").with("User-Agent: curl/8.5.0"));
        section.add(getting("NE-12", PODS + "?resourceVersionMatch=x").with("User-Agent: curl/8"));
        section.get("NE-12", PODS + "?labelSelector=none&pretty=1", PODS + "?limit=1&pretty=1");
        section.get(
                "NE-12",
                "/api/v1/namespaces/t/configmaps?pretty=1",
                "/api/v1/namespaces/t/events?pretty=1");
        section.get("NE-12", WATCH + "&resourceVersion=1&pretty=1", WATCH + "&limit=x&pretty=1");
        return section;
    }

    private static CaseSection compressed() {
        String small = "/api/v1/namespaces/big-a/configmaps";
        String large = "/api/v1/namespaces/big-b/configmaps";
        CaseSection section = new CaseSection("Compression and headers");
        for (String encoding :
                List.of("gzip", "deflate, gzip", "gzip;q=1", "GZIP", "*", "br", "identity")) {
            section.add(getting("EN-9", large).with("Accept-Encoding: " + encoding));
        }
        section.add(getting("GO-29", small).with("Accept-Encoding: gzip"));
        section.add(getting("GO-29", large).with("Accept-Encoding: gzip"));
        section.get("GO-29", large);
        section.add(getting("EN-9", large + "/padding").with("Accept-Encoding: gzip"));
        section.add(getting("EN-9", small + "?pretty=1").with("Accept-Encoding: gzip"));
        section.add(
                getting("EN-10", large + "?watch=1&timeoutSeconds=2")
                        .with("Accept-Encoding: gzip"));
        section.get("EN-11", PODS, POD, "/api/v2", "/nowhere", WATCH, "/api", "/apis/example.com");
        section.get("ST-2", PODS + "?limit=x", POD + "?resourceVersion={now+1000}");
        return section;
    }
}
