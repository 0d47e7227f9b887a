package io.kubemirror.parity;

import static io.kubemirror.parity.CaseSection.getting;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Shard selectors (list-watch.md#shard-selectors). */
final class ShardCases {

    private static final String UID = "object.metadata.uid";
    private static final String NAMESPACE = "object.metadata.namespace";
    private static final String ZERO = "0x0000000000000000";
    private static final String HALF = "0x8000000000000000";
    private static final String ALL = "0x10000000000000000";
    private static final String MAPS = "/api/v1/configmaps?shardSelector=";
    private static final String PODS = "/api/v1/pods?shardSelector=";

    private ShardCases() {}

    static List<CaseSection> sections() {
        return List.of(shards(), answers(), mistakes());
    }

    private static String range(String path, String start, String end) {
        return "shardRange(%s, '%s', '%s')".formatted(path, start, end);
    }

    private static String on(String collection, String selector) {
        return collection + URLEncoder.encode(selector, StandardCharsets.UTF_8);
    }

    private static CaseSection shards() {
        CaseSection section = new CaseSection("Shard selectors");
        for (int shard = 0; shard < 16; shard++) {
            String start = "0x%x000000000000000".formatted(shard);
            String end = shard == 15 ? ALL : "0x%x000000000000000".formatted(shard + 1);
            section.get("SH-1", on(MAPS, range(UID, start, end)));
        }
        section.get("SH-1", on(MAPS, range(UID, ZERO, ALL)));
        for (int shard = 0; shard < 4; shard++) {
            String start = "0x%x000000000000000".formatted(shard * 4);
            String end = shard == 3 ? ALL : "0x%x000000000000000".formatted(shard * 4 + 4);
            section.get("SH-1", on(MAPS, range(NAMESPACE, start, end)));
            section.get("SH-1", on("/api/v1/nodes?shardSelector=", range(NAMESPACE, start, end)));
        }
        // The hash of the namespace "a" is its own lower bound, but not its own upper bound.
        section.get("SH-1", on(PODS, range(NAMESPACE, "0xaf63dc4c8601ec8c", ALL)));
        section.get("SH-1", on(PODS, range(NAMESPACE, "0xaf63dc4c8601ec8d", ALL)));
        section.get("SH-1", on(PODS, range(NAMESPACE, ZERO, "0xaf63dc4c8601ec8c")));
        section.get("SH-1", on(PODS, range(NAMESPACE, ZERO, "0xaf63dc4c8601ec8d")));
        String low = range(UID, ZERO, "0x2000000000000000");
        String high = range(UID, "0xe000000000000000", ALL);
        section.get("SH-2", on(MAPS, low + " || " + high), on(MAPS, high + "||" + low));
        section.get(
                "SH-2", on(MAPS, low + " || " + low), on(MAPS, "(" + low + ") ||(" + high + ")"));
        section.get("SH-2", on(MAPS, range(UID, ZERO, HALF) + " || " + low));
        return section;
    }

    private static CaseSection answers() {
        CaseSection section = new CaseSection("Lists and watches of shards");
        String low = on("shardSelector=", range(UID, ZERO, HALF));
        String all = on("shardSelector=", range(UID, ZERO, ALL));
        section.get("SH-3", "/api/v1/pods?" + low, "/api/v1/namespaces/a/pods?" + low);
        section.get("SH-3", "/apis/example.com/v1/widgets?" + all);
        section.get("SH-3", "/api/v1/pods?resourceVersion=0&" + low);
        section.get("SH-3", "/api/v1/pods?labelSelector=app%3Dv&" + low);
        section.get("SH-3", "/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dx&" + low);
        for (String shape : List.of("Table", "PartialObjectMetadataList")) {
            String accept = "application/json;as=" + shape + ";g=meta.k8s.io;v=v1";
            ParityCase other = getting("SH-3", "/api/v1/configmaps?" + low).accepting(accept);
            section.add(shape.equals("Table") ? other.but(IntendedDifferences.columns()) : other);
        }
        section.get("SH-4", "/api/v1/configmaps?limit=2&" + low);
        String page = "/api/v1/configmaps?limit=2&continue={token}";
        section.add(getting("SH-4", "/api/v1/configmaps?limit=2&" + all).then(page + "&" + low));
        section.add(getting("SH-4", "/api/v1/configmaps?limit=2&" + all).then(page));
        section.get("SH-4", "/api/v1/pods?watch=1&timeoutSeconds=1&" + low);
        String list = "&sendInitialEvents=1&resourceVersionMatch=NotOlderThan&timeoutSeconds=1";
        section.get("SH-4", "/api/v1/pods?watch=1&allowWatchBookmarks=1" + list + "&" + low);
        section.get("SH-4", "/api/v1/watch/pods?timeoutSeconds=1&" + low);
        section.get("SH-4", "/api/v1/namespaces/a/pods/x?shardSelector=x");
        section.get("SH-7", PODS, PODS + "x&labelSelector=,", PODS + "x&fieldSelector=oops");
        section.get("SH-7", PODS + "x&fieldSelector=spec.x%3D1", PODS + "x&limit=y");
        section.get("SH-7", PODS + "x&resourceVersionMatch=y");
        return section;
    }

    private static void refused(CaseSection section, String row, String... selectors) {
        for (String selector : selectors) {
            section.add(getting(row, on(PODS, selector)).but(IntendedDifferences.badShard()));
        }
    }

    private static CaseSection mistakes() {
        CaseSection section = new CaseSection("Mistakes in shard selectors");
        String good = range(UID, ZERO, HALF);
        refused(section, "SH-5", "x", " ", "'x'", "1", "true", "object.metadata.uid");
        refused(
                section,
                "SH-5",
                "size(1)",
                "shardrange(1)",
                good + " || size(1)",
                good + " || true");
        refused(section, "SH-5", "shardRange()", "shardRange(object.metadata.uid)");
        refused(section, "SH-5", "shardRange(object.metadata.uid, '" + ZERO + "')");
        refused(section, "SH-5", "shardRange(1, 2, 3)", "shardRange(1, 2, 3, 4)");
        refused(section, "SH-5", "shardRange(object.metadata.uid, 1, 2)");
        refused(section, "SH-5", "shardRange(object.metadata.uid, true, 2)");
        refused(section, "SH-5", "shardRange(object.metadata.uid, null, 2)");
        refused(section, "SH-5", "shardRange(object.metadata.uid, 1u, 2)");
        refused(section, "SH-5", "shardRange(object.metadata.uid, 1.5, 2)");
        refused(section, "SH-5", "shardRange(object.metadata.uid, -1, 2)");
        refused(section, "SH-5", "shardRange(object.metadata.uid, a, 2)");
        refused(section, "SH-5", "shardRange(object.metadata.uid, a.b, 2)");
        refused(section, "SH-5", range("object.metadata.name", ZERO, HALF), range("x", "1", "2"));
        refused(section, "SH-5", range("object.metadata", ZERO, HALF), range("uid", ZERO, HALF));
        refused(section, "SH-5", good + " || " + range(NAMESPACE, HALF, ALL));
        refused(section, "SH-6", range(UID, HALF, ZERO), range(UID, HALF, HALF));
        refused(section, "SH-6", range(UID, ALL, ALL), range(UID, "0X0000000000000000", HALF));
        refused(section, "SH-6", range(UID, "0000000000000000", HALF), range(UID, "", HALF));
        refused(section, "SH-6", range(UID, "0xABCDEF0000000000", ALL), range(UID, "0x", ALL));
        refused(section, "SH-6", range(UID, ZERO, "0xFFFFFFFFFFFFFFFF"), range(UID, ZERO, "0xg"));
        refused(section, "SH-6", range(UID, "0x0", HALF), range(UID, ZERO, "0xff"));
        refused(section, "SH-6", range(UID, ZERO, "0x80000000000000000"));
        refused(section, "SH-6", range(UID, ZERO, "0x1000000000000000000"));
        refused(section, "SH-6", range(UID, ZERO, "0x10000000000000001"));
        refused(section, "SH-6", range(UID, ZERO, "0x\u00e9"));
        section.get(
                "SH-5",
                on(
                        PODS,
                        "  shardRange( object . metadata . uid , '"
                                + ZERO
                                + "' ,\""
                                + HALF
                                + "\" ) "));
        section.get("SH-5", on(PODS, "// all\n" + range(UID, ZERO, ALL)));
        section.get("SH-5", on(PODS, "object." + good), on(PODS, "((" + good + "))"));
        syntax(section, good + " ||", "the end");
        syntax(section, "|| " + good, "\\\"||\\\"");
        syntax(section, good + ")", "\\\")\\\"");
        syntax(section, good.substring(0, good.length() - 1), "the end");
        syntax(section, good + " && " + good, "\\\"\\u0026\\\"");
        syntax(section, "!" + good, "\\\"!\\\"");
        return section;
    }

    private static void syntax(CaseSection section, String selector, String found) {
        section.add(
                getting("SH-5", on(PODS, selector)).but(IntendedDifferences.badShardSyntax(found)));
    }
}
