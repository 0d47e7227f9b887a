package io.kubemirror.parity;

import java.util.List;

/**
 * Watches while nothing changes (list-watch.md#watch-start, #watch-frames). Each ends after a
 * second.
 */
final class WatchCases {

    private static final String PODS = "/api/v1/pods?watch=1&timeoutSeconds=2";
    private static final String IN_A = "/api/v1/namespaces/a/pods?watch=1&timeoutSeconds=2";
    private static final String WIDGETS = "/apis/example.com/v1/widgets?watch=1&timeoutSeconds=2";
    private static final String BOOKMARKS = "&allowWatchBookmarks=true";
    private static final String NOT_OLDER = "&resourceVersionMatch=NotOlderThan";
    private static final String INITIAL = "&sendInitialEvents=true" + NOT_OLDER;
    private static final String LIVE = "&sendInitialEvents=false" + NOT_OLDER;

    private WatchCases() {}

    static List<CaseSection> sections() {
        return List.of(starts(), selections());
    }

    private static CaseSection of(CaseSection section, String row, String... queries) {
        for (String query : queries) {
            section.get(row, PODS + query);
        }
        return section;
    }

    private static CaseSection starts() {
        CaseSection section = new CaseSection("Starts of watches");
        of(section, "WA-1", "&resourceVersion={now}");
        of(section, "WA-2", "", "&resourceVersion=0", BOOKMARKS, "&resourceVersion=0" + BOOKMARKS);
        of(section, "WA-2", "&resourceVersion=", "&resourceVersion=00" + BOOKMARKS);
        of(section, "GO-10", "&resourceVersion=0");
        of(section, "GO-11", "&resourceVersion=0" + BOOKMARKS);
        of(section, "WA-3", INITIAL, INITIAL + BOOKMARKS);
        of(
                section,
                "WA-4",
                INITIAL + "&resourceVersion=0",
                INITIAL + BOOKMARKS + "&resourceVersion=0");
        of(section, "WA-5", INITIAL + BOOKMARKS + "&resourceVersion={now}");
        of(
                section,
                "WA-5",
                INITIAL + "&resourceVersion={a_y}",
                INITIAL + BOOKMARKS + "&resourceVersion=1");
        of(section, "GO-21", INITIAL + BOOKMARKS + "&resourceVersion={a_y}");
        of(section, "WA-6", LIVE, LIVE + BOOKMARKS);
        of(section, "WA-7", LIVE + "&resourceVersion=0", LIVE + BOOKMARKS + "&resourceVersion=0");
        of(section, "GO-12", "&resourceVersion=0&sendInitialEvents=false" + NOT_OLDER);
        of(section, "WA-8", "&resourceVersion={now}" + BOOKMARKS, LIVE + "&resourceVersion={now}");
        of(section, "WA-9", "&resourceVersion={now-1}", LIVE + "&resourceVersion={now-1}");
        of(section, "ST-4", "&resourceVersion=1" + BOOKMARKS);
        of(section, "GO-13", "&resourceVersion={now-1}");
        of(
                section,
                "GO-26",
                "&resourceVersion={now-50}",
                "&resourceVersion={now}",
                "&resourceVersion={now+10}");
        of(
                section,
                "WA-10",
                "&resourceVersion={now+1000}",
                LIVE + BOOKMARKS + "&resourceVersion={now+1000}");
        of(section, "WA-11", "&resourceVersion={now}&limit=1");
        of(section, "WA-13", "&timeout=9s" + INITIAL + "&resourceVersion={now+1000}");
        of(section, "WA-13", INITIAL + BOOKMARKS + "&resourceVersion={now+1000}");
        section.get(
                "WA-13",
                PODS.replace("Seconds=1", "Seconds=9") + INITIAL + "&resourceVersion={now+1000}");
        of(section, "WA-14", INITIAL + "&allowWatchBookmarks=false");
        of(section, "WA-27", "&resourceVersion={now}" + LIVE);
        section.add(
                CaseSection.getting("WA-27", "/api/v1/pods?watch=1&timeoutSeconds=-1")
                        .but(IntendedDifferences.timedOut()));
        section.add(
                CaseSection.getting(
                                "WA-27", "/api/v1/pods?watch=1&timeoutSeconds=-9&resourceVersion=0")
                        .but(IntendedDifferences.timedOut()));
        section.get(
                "EN-1",
                WIDGETS,
                WIDGETS + BOOKMARKS,
                "/apis/apps/v1/deployments?watch=1&timeoutSeconds=2" + BOOKMARKS);
        section.get("EN-1", "/api/v1/nodes?watch=1&timeoutSeconds=2" + BOOKMARKS);
        section.get("EN-1", "/apis/example.com/v1/planets?watch=1&timeoutSeconds=2" + BOOKMARKS);
        section.get("EN-7", "/api/v1/namespaces/t/events?watch=1&timeoutSeconds=2");
        section.get("EN-7", "/api/v1/namespaces/t/configmaps?watch=1&timeoutSeconds=2");
        return section;
    }

    private static CaseSection selections() {
        CaseSection section = new CaseSection("Watches of a selection");
        section.get(
                "WA-15",
                "/api/v1/namespaces/nowhere/pods?watch=1&timeoutSeconds=2" + INITIAL + BOOKMARKS);
        section.get(
                "WA-15",
                "/apis/example.com/v1/namespaces/z/widgets?watch=1&timeoutSeconds=2"
                        + INITIAL
                        + BOOKMARKS);
        of(section, "WA-16", INITIAL + BOOKMARKS + "&labelSelector=none");
        of(section, "GO-20", INITIAL + BOOKMARKS + "&fieldSelector=metadata.name%3Dnope");
        of(section, "LS-1", "&labelSelector=app%3Dv", "&labelSelector=app+in+(w)" + BOOKMARKS);
        of(section, "LS-9", "&labelSelector=,a", "&labelSelector=a%3D%3D%3Db");
        of(section, "FS-1", "&fieldSelector=spec.nodeName%3Dn1", "&fieldSelector=oops");
        of(section, "FS-7", "&fieldSelector=metadata.namespace%3Da");
        section.get("FS-7", IN_A + "&fieldSelector=metadata.namespace%3Da-b");
        section.get(
                "FS-8",
                IN_A + "&fieldSelector=metadata.name%3Dx",
                IN_A + "&fieldSelector=metadata.name%3D..");
        section.get("FS-8", IN_A + "&fieldSelector=metadata.name%3Da/b");
        section.get("PA-2", IN_A, IN_A + "&resourceVersion={now-1}");
        section.get("FS-CR", WIDGETS + "&fieldSelector=spec.size%3D2");
        return section;
    }
}
