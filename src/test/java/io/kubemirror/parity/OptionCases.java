package io.kubemirror.parity;

import static io.kubemirror.parity.CaseSection.getting;

import java.util.List;

/** Options of lists, gets and watches and their values (list-watch.md#options, #option-values). */
final class OptionCases {

    private static final String PODS = "/api/v1/pods?";
    private static final String WATCH = PODS + "watch=1&timeoutSeconds=2&";
    private static final String POD = "/api/v1/namespaces/a/pods/x";

    private OptionCases() {}

    static List<CaseSection> sections() {
        return List.of(combinations(), values(), timeouts());
    }

    private static CaseSection of(
            CaseSection section, String row, String start, String... queries) {
        for (String query : queries) {
            section.get(row, start + query);
        }
        return section;
    }

    private static CaseSection combinations() {
        CaseSection section = new CaseSection("Combinations of options");
        of(
                section,
                "VA-1",
                PODS,
                "resourceVersionMatch=Exact",
                "resourceVersionMatch=NotOlderThan");
        of(section, "VA-1", PODS, "resourceVersionMatch=Exact&resourceVersion=");
        of(section, "VA-1", PODS, "resourceVersionMatch=Exact&limit=1");
        of(section, "VA-2", PODS, "resourceVersionMatch=Exact&continue=x");
        of(section, "VA-2", PODS, "resourceVersionMatch=NotOlderThan&continue=x&resourceVersion=0");
        of(section, "VA-3", PODS, "resourceVersionMatch=exact&resourceVersion={now}");
        of(section, "VA-3", PODS, "resourceVersionMatch=%3Cb%3E&resourceVersion=0");
        of(section, "VA-3", PODS, "resourceVersionMatch=x");
        of(section, "VA-4", PODS, "resourceVersionMatch=Exact&resourceVersion=0");
        of(section, "VA-4", PODS, "resourceVersionMatch=Exact&resourceVersion=0&limit=1");
        of(section, "VA-5", PODS, "sendInitialEvents=true", "sendInitialEvents=false");
        of(section, "VA-5", PODS, "sendInitialEvents=", "watch=0&sendInitialEvents=1");
        of(section, "VA-6", WATCH, "sendInitialEvents=true", "sendInitialEvents=false");
        of(section, "VA-6", WATCH, "sendInitialEvents=true&resourceVersion={now}");
        of(section, "VA-7", WATCH, "resourceVersionMatch=NotOlderThan");
        of(section, "VA-7", WATCH, "resourceVersionMatch=NotOlderThan&resourceVersion={now}");
        of(section, "VA-8", WATCH, "resourceVersionMatch=Exact&resourceVersion={now}");
        of(section, "VA-8", WATCH, "resourceVersionMatch=notolderthan&sendInitialEvents=false");
        of(
                section,
                "VA-9",
                WATCH,
                "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x");
        of(
                section,
                "VA-9",
                WATCH,
                "resourceVersionMatch=NotOlderThan&continue=x&resourceVersion={now}");
        of(section, "VA-11", WATCH, "sendInitialEvents=true&resourceVersionMatch=Exact");
        of(section, "VA-11", PODS, "resourceVersionMatch=x&continue=y&sendInitialEvents=1");
        of(section, "VA-11", WATCH, "resourceVersionMatch=x&continue=y");
        of(section, "VA-11", "/apis/example.com/v1/widgets?", "resourceVersionMatch=x&continue=y");
        of(
                section,
                "VA-12",
                WATCH,
                "limit=1&resourceVersion=0",
                "continue=x&resourceVersion={now}");
        of(section, "VA-13", WATCH, "continue=x", "continue=x&resourceVersion=0");
        of(
                section,
                "VA-14",
                PODS,
                "resourceVersionMatch=",
                "resourceVersionMatch=&resourceVersion=0");
        return of(section, "GO-19", WATCH, "sendInitialEvents=true");
    }

    private static CaseSection values() {
        CaseSection section = new CaseSection("Values of options");
        String start = PODS + "timeoutSeconds=2&";
        of(section, "DE-1", start, "watch=true", "watch=1", "watch=", "watch=yes", "watch=0");
        of(section, "DE-1", start, "watch=false", "watch=FALSE", "watch=False", "watch=00");
        of(section, "DE-1", WATCH, "allowWatchBookmarks=", "allowWatchBookmarks=no");
        of(section, "DE-1", WATCH, "allowWatchBookmarks=false", "allowWatchBookmarks=0");
        of(section, "DE-2", PODS, "limit=x", "limit=", "limit=+", "limit=1.5", "limit=0x1");
        of(section, "DE-2", PODS, "limit=9223372036854775807", "limit=9223372036854775808");
        of(
                section,
                "DE-2",
                PODS,
                "limit=-9223372036854775809",
                "limit=-1",
                "limit=0",
                "limit=%2B2");
        of(section, "DE-2", PODS, "limit=1_0", "limit=%C3%A9", "limit=%3Cb%3E", "limit=%22");
        of(section, "DE-2", PODS, "timeoutSeconds=x", "timeoutSeconds=", "timeoutSeconds=2.5");
        of(section, "DE-2", PODS, "watch=1&limit=x", "watch=1&timeoutSeconds=x");
        of(section, "DE-2", PODS, "limit=x&labelSelector=,", "labelSelector=,&fieldSelector=oops");
        of(section, "DE-2", PODS, "timeoutSeconds=x&limit=y", "continue=x&limit=y");
        of(section, "DE-3", PODS, "resourceVersion=", "resourceVersion=&watch=false");
        of(section, "DE-4", PODS, "resourceVersion=x", "resourceVersion=-1", "resourceVersion=1.0");
        of(section, "DE-4", PODS, "resourceVersion=00", "resourceVersion=+1");
        of(section, "DE-4", PODS, "resourceVersion=18446744073709551616");
        of(section, "DE-4", PODS, "resourceVersion=99999999999999999999999999999999999999");
        of(section, "DE-4", PODS, "resourceVersion=x&limit=1", "resourceVersion=%3C");
        section.add(
                getting("DE-5", POD + "?resourceVersion=x")
                        .but(IntendedDifferences.badRevision("x")));
        section.add(
                getting("DE-5", POD + "?resourceVersion=-1")
                        .but(IntendedDifferences.badRevision("-1")));
        section.add(
                getting("WA-20", WATCH + "resourceVersion=x")
                        .but(IntendedDifferences.badRevision("x")));
        section.add(
                getting("WA-20", WATCH + "resourceVersion=-1")
                        .but(IntendedDifferences.badRevision("-1")));
        of(
                section,
                "DE-6",
                POD,
                "?export=true",
                "?export=1",
                "?export",
                "?export=false",
                "?export=0");
        of(section, "DE-7", POD, "?timeoutSeconds=2", "?timeoutSeconds=x");
        of(section, "DE-7", PODS, "timeoutSeconds=2", "timeoutSeconds=-1");
        return section;
    }

    private static CaseSection timeouts() {
        CaseSection section = new CaseSection("The parameter timeout");
        of(
                section,
                "DE-7a",
                PODS,
                "timeout=32s",
                "timeout=32",
                "timeout=x",
                "timeout=",
                "timeout=0");
        of(section, "DE-7a", PODS, "timeout=-1s", "timeout=2h", "timeout=1.5s", "timeout=1m1s");
        of(section, "DE-7a", PODS, "timeout=1d", "timeout=1s1", "timeout=.s", "timeout=%C2%B5s");
        of(section, "DE-7a", POD, "?timeout=x", "?timeout=5s");
        of(
                section,
                "DE-7a",
                "",
                "/api?timeout=x",
                "/apis/example.com?timeout=32s",
                "/api/v1?timeout=7");
        of(section, "DE-7a", "", "/nowhere?timeout=x", "/api/v2?timeout=x", "/apis/apps?timeout=y");
        of(section, "DE-7a", PODS, "timeout=1s&resourceVersion={now+1000}");
        of(section, "DE-7a", POD, "?timeout=1s&resourceVersion={now+1000}");
        return of(section, "WA-28", WATCH, "timeout=x", "timeout=1ms", "timeout=1");
    }
}
