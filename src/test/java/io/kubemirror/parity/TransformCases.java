package io.kubemirror.parity;

import static io.kubemirror.parity.CaseSection.getting;

import java.util.List;

/** Tables and metadata (list-watch.md#tables). */
final class TransformCases {

    private static final String V1 = ";g=meta.k8s.io;v=v1";
    private static final String TABLE = "application/json;as=Table" + V1;
    private static final String PARTIAL = "application/json;as=PartialObjectMetadata" + V1;
    private static final String PARTIALS = "application/json;as=PartialObjectMetadataList" + V1;
    private static final String PODS = "/api/v1/pods";
    private static final String POD = "/api/v1/namespaces/a/pods/x";
    private static final String LEASES_ROOT = "/apis/coordination.k8s.io/v1/";
    private static final String LEASES = LEASES_ROOT + "leases";
    private static final String WIDGETS = "/apis/example.com/v1/widgets";
    private static final String WIDGET = "/apis/example.com/v1/namespaces/a/widgets/two";
    private static final String PLANETS = "/apis/example.com/v1/planets";
    private static final String NONE = "?includeObject=None";
    private static final String WATCH = "?watch=1&timeoutSeconds=2";

    private TransformCases() {}

    static List<CaseSection> sections() {
        return List.of(tables(), included(), watchedTables(), partial(), watchedPartial());
    }

    private static CaseSection as(
            CaseSection section, String row, String accept, String... targets) {
        for (String target : targets) {
            section.add(getting(row, target).accepting(accept));
        }
        return section;
    }

    /** The definition of a custom resource has its columns. Built-in types have none. */
    private static CaseSection shown(
            CaseSection section, String row, String accept, String... targets) {
        for (String target : targets) {
            ParityCase one = getting(row, target).accepting(accept);
            section.add(
                    target.startsWith("/apis/example.com/")
                            ? one
                            : one.but(
                                    target.startsWith(LEASES_ROOT)
                                            ? IntendedDifferences.plainColumns()
                                            : IntendedDifferences.columns()));
        }
        return section;
    }

    private static CaseSection tables() {
        CaseSection section = new CaseSection("Tables");
        shown(
                section,
                "NE-20",
                TABLE,
                PODS,
                LEASES,
                POD,
                LEASES_ROOT + "namespaces/t/leases/lease");
        shown(section, "NE-20", TABLE, "/api/v1/configmaps?labelSelector=app", "/api/v1/nodes");
        shown(section, "NE-20", TABLE, "/apis/apps/v1/deployments", "/api/v1/services");
        shown(section, "NE-9", TABLE.replace("v1", "v1beta1"), LEASES, PODS, WIDGETS);
        shown(section, "NE-9", TABLE + ",application/json", LEASES, PODS, WIDGETS);
        shown(
                section,
                "NE-9",
                TABLE + "," + TABLE.replace("v1", "v1beta1") + ",application/json",
                PODS);
        shown(section, "NE-21", TABLE, WIDGETS, WIDGET, PLANETS, PLANETS + "/earth");
        shown(section, "NE-21", TABLE, WIDGETS + NONE, WIDGET + NONE, PLANETS + NONE);
        shown(
                section,
                "NE-23",
                TABLE,
                PODS + "?limit=1",
                PODS + "?resourceVersion=0",
                WIDGETS + "?limit=1");
        shown(section, "NE-23", TABLE, PODS + "?limit=1&labelSelector=app%3Dv");
        shown(section, "EN-6", TABLE, PODS + "?labelSelector=none");
        shown(section, "EN-6", TABLE, WIDGETS + "?labelSelector=none");
        as(section, "NE-29", TABLE, POD.replace("/x", "/none"), PODS + "?limit=x");
        shown(section, "NE-12", TABLE, PODS + "?pretty=1", POD + "?pretty=1");
        return shown(section, "NE-12", TABLE, WIDGETS + NONE + "&pretty=1");
    }

    private static CaseSection included() {
        CaseSection section = new CaseSection("Objects in tables");
        for (String value : List.of("Metadata", "Object", "None", "")) {
            shown(
                    section,
                    value.equals("Metadata") || value.isEmpty() ? "NE-24" : "NE-25",
                    TABLE,
                    PODS + "?includeObject=" + value,
                    POD + "?includeObject=" + value,
                    WIDGETS + "?includeObject=" + value);
        }
        as(section, "NE-26", TABLE, PODS + "?includeObject=Foo", PODS + "?includeObject=none");
        as(
                section,
                "NE-26",
                TABLE,
                POD + "?includeObject=Foo",
                PODS + WATCH + "&includeObject=Foo");
        as(section, "NE-26", TABLE, WIDGETS + "?includeObject=%3Cb%3E");
        return section.get("NE-26", PODS + "?includeObject=Foo", POD + "?includeObject=Foo");
    }

    private static CaseSection watchedTables() {
        CaseSection section = new CaseSection("Watches as tables");
        String bookmarks = WATCH + "&allowWatchBookmarks=1";
        shown(section, "GO-27", TABLE, PODS + WATCH + "&resourceVersion=0");
        shown(section, "GO-27", TABLE, WIDGETS + WATCH + "&resourceVersion=0");
        shown(section, "NE-27", TABLE, PODS + WATCH, LEASES + WATCH, WIDGETS + WATCH);
        for (String included : List.of("&includeObject=Object", "&includeObject=None")) {
            shown(section, "NE-27", TABLE, PODS + WATCH + included, WIDGETS + WATCH + included);
            shown(section, "NE-28", TABLE, PODS + bookmarks + included);
            shown(section, "NE-28", TABLE, WIDGETS + bookmarks + included);
        }
        shown(section, "NE-28", TABLE, PODS + bookmarks, WIDGETS + bookmarks, LEASES + bookmarks);
        shown(section, "NE-28", TABLE, PODS + bookmarks + "&labelSelector=none");
        shown(section, "NE-28", TABLE, WIDGETS + bookmarks + "&labelSelector=none");
        return as(section, "NE-29", TABLE, PODS + WATCH + "&resourceVersion=1");
    }

    private static CaseSection partial() {
        CaseSection section = new CaseSection("Metadata only");
        as(
                section,
                "NE-30",
                PARTIALS,
                PODS,
                WIDGETS,
                "/apis/apps/v1/deployments",
                PODS + "?limit=1");
        as(section, "NE-30", PARTIALS, "/api/v1/namespaces/t/configmaps", PODS + "?pretty=1");
        for (String target : List.of(PODS, WIDGETS)) {
            section.add(
                    getting("NE-30", target + "?labelSelector=none")
                            .accepting(PARTIALS)
                            .but(IntendedDifferences.emptyItems()));
        }
        as(section, "NE-10", PARTIALS.replace("v1", "v1beta1"), PODS, WIDGETS);
        as(section, "NE-10", PARTIALS + ",application/json", PODS, WIDGETS);
        as(section, "NE-31", PARTIAL, PODS, WIDGETS, PODS + "?labelSelector=none");
        as(section, "NE-31", PARTIAL + ",application/json", PODS);
        as(section, "NE-31", PARTIALS, POD, POD.replace("/x", "/none"));
        section.add(
                getting("NE-31", WIDGET)
                        .accepting(PARTIALS)
                        .but(IntendedDifferences.otherNumber()));
        as(section, "NE-31", PARTIALS + ",application/json", POD);
        as(section, "NE-32", PARTIAL, POD, WIDGET, "/api/v1/nodes/n1", POD.replace("/x", "/none"));
        as(section, "NE-32", PARTIAL.replace("v1", "v1beta1"), POD, WIDGET);
        as(section, "NE-32", PARTIAL + ",application/json", POD);
        return as(section, "NE-32", PARTIAL, POD + "?pretty=1");
    }

    private static CaseSection watchedPartial() {
        CaseSection section = new CaseSection("Watches of metadata only");
        String bookmarks = WATCH + "&allowWatchBookmarks=1";
        as(section, "NE-32", PARTIAL, PODS + WATCH, PODS + bookmarks, WIDGETS + WATCH);
        as(section, "NE-32", PARTIAL, WIDGETS + bookmarks, PODS + WATCH + "&resourceVersion=1");
        as(section, "NE-32", PARTIAL.replace("v1", "v1beta1"), PODS + bookmarks);
        return as(
                section, "NE-33", PARTIALS, PODS + WATCH, PODS + bookmarks + "&labelSelector=none");
    }
}
