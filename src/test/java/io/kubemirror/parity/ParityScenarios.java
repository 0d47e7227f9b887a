package io.kubemirror.parity;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.Manifests.secret;
import static io.kubemirror.testing.Manifests.widget;

import module java.base;

import io.kubemirror.model.ResourceType;
import io.kubemirror.parity.ScenarioContext.WatchedSide;
import io.kubemirror.testing.Manifest;
import io.kubemirror.testing.scripted.ServedTypes;

/**
 * Scenarios with open watches, and with pages while they are read (list-watch.md#list-combinations,
 * #paging, #events).
 *
 * <p>A row has the rules, a title, and steps in the manner of kubectl: {@code label pod x app-}
 * removes a label. {@code watch} opens a watch with a name on both sides, {@code expect} records so
 * many of its frames, and {@code end} those until its end. {@code settle} waits until both sides
 * have the last write, {@code await} until both answer with a code. The words of a target are
 * joined; those of {@link #PARTS} mean more.
 */
final class ParityScenarios {

    private static final String SCENARIOS =
            """
            EV-1 | objects are created | create secret first; watch w secrets LAST; create secret x app=v; create secret y; expect w 2
            EV-1 | an object enters a selection | create pod x app=w; watch w pods LAST V; label pod x app=v; expect w 1
            EV-2 | an object changes within a selection | create pod x app=v; watch w pods LAST V; label pod x more=yes; label pod x more-; expect w 2
            EV-3 | an object leaves a selection | create pod x app=v; watch w pods LAST V; label pod x app=w; label pod x app=u; label pod x app=v; label pod x app-; expect w 3
            EV-4 | objects outside a selection change | create pod x app=w; watch w pods LAST V; label pod x more=yes; create pod y; create pod marker app=v; expect w 1
            EV-5 | an object of a selection is deleted | create pod x app=v; watch w pods LAST V; watch all pods LAST; delete pod x; expect w 1; expect all 1
            EV-4 | an object outside a selection is deleted | create pod x app=w; watch w pods LAST V; delete pod x; create pod marker app=v; expect w 1
            EV-10 | an object is replaced by one of its name | create pod x app=v; watch w pods LAST V; delete pod x; create pod x app=v; expect w 2
            FS-9 | an object moves through a selection of fields | create pod x; watch w pods LAST &fieldSelector=status.phase%3DRunning; phase pod x Running; label pod x app=v; phase pod x Failed; delete pod x; create pod y; phase pod y Running; expect w 4
            # All shards together show everything; each shows its objects, and those that leave it.
            SH-4 | objects of some shards change | create pod marker; watch w pods LAST &labelSelector=!gone &shardSelector= LOW %7C%7C HIGH; create pod a,b,c,d,e,f,g,h; label pod a,b,c,d,e,f,g,h app=v; label pod a,b,c,d,e,f,g,h gone=v; label pod a,b,c,d,e,f,g,h app=w; expect w 24; settle pods; get pods ?shardSelector= LOW; get pods SHARD LOW; get pods ?shardSelector= HIGH; get pods SHARD HIGH
            PA-6 | one name is watched | create pod x; watch w pods LAST &fieldSelector=metadata.name%3Dmarker; label pod x app=v; create pod marker app=v; expect w 1; delete pod x; delete pod marker; expect w 1
            WA-8 | the past is replayed | PAST; watch first pods ?watch=1&resourceVersion={r1}; expect first 6; watch fourth pods ?watch=1&resourceVersion={r4}; expect fourth 3
            WA-8, EV-3 | the past of a selection is replayed | PAST; watch first pods ?watch=1&resourceVersion={r1} V; expect first 5; watch fourth pods ?watch=1&resourceVersion={r4} V; expect fourth 3
            WA-10 | a watch begins in the future | create pod x; settle pods; watch w pods ?watch=1&resourceVersion={last+3}; label pod x count=0; label pod x count=1; label pod x count=2; label pod x count=3; label pod x count=4; expect w 2
            BM-10, WA-24 | changes follow the initial events | create pod x app=v; create pod y app=w; settle pods; watch all pods INITIAL BOOKMARKS; watch some pods INITIAL BOOKMARKS V; watch old pods ?watch=1; label pod y app=v; delete pod x; expect all 5; expect some 4; expect old 4
            WA-6 | only changes are wanted | create pod x app=v; settle pods; watch any pods LIVE &resourceVersion=0; watch newest pods LIVE; create pod y; expect any 1; expect newest 1
            PA-7, PA-9 | one object by a deprecated path | create pod x app=v; settle pods; watch w /api/v1/watch/namespaces/{ns}/pods/x?allowWatchBookmarks=1; expect w 1; create pod y; label pod x app=w; delete pod x; expect w 2
            PA-7 | a collection by a deprecated path | create pod x app=v; watch w /api/v1/watch/namespaces/{ns}/pods?resourceVersion={last}; create pod y; delete pod x; expect w 2
            # Each gets an event first: only what comes after that is certainly no replay (list-watch.md#bm-7).
            BM-1, BM-4, BM-6 | watches of five seconds get bookmarks if they want them, also if nothing is selected | namespace other; create pod x; settle pods; watch wanted pods BRIEFLY BOOKMARKS; watch unwanted pods BRIEFLY; watch other /api/v1/pods BRIEFLY BOOKMARKS &fieldSelector=metadata.namespace%3D{ns}-other; create pod other/y; expect other 1; create pod z; end wanted; end unwanted; end other
            EN-1 | custom resources come and go | create widget one 1; watch w widgets LAST; watch small widgets LAST &fieldSelector=spec.size%3D2; create widget two 2; label widget one app=v; delete widget one; delete widget two; expect w 4; expect small 2
            NE-27, NE-28 | the names and the objects of a watch as tables | create pod x app=v; settle pods; watch w pods ?watch=1 BOOKMARKS as names; expect w 2; label pod x app=w; delete pod x; expect w 2
            NE-30 | a watch of metadata only | create pod x app=v; settle pods; watch w pods ?watch=1 BOOKMARKS as partial; expect w 2; label pod x app=w; delete pod x; expect w 2
            NE-27, NE-21 | custom resources as tables | create widget one 1; settle widgets; watch w widgets LAST as table; label widget one app=w; delete widget one; expect w 2
            NE-30, EN-1 | metadata of custom resources | create widget one 1; settle widgets; watch w widgets LAST as partial; label widget one app=w; delete widget one; expect w 2
            CO-2 | an object goes while pages are read | THREE; get pods ?limit=1; delete pod y; create pod later; settle pods; get pods ?limit=1&continue={token}; get pods ?limit=1&continue={token}; get pods ?resourceVersion={last}
            CO-2 | objects come and change meanwhile | THREE; get pods ?limit=1; create pod yy; label pod z app=w; label pod y app-; settle pods; get pods ?continue={token}; get pods ?continue={token} V
            LI-9 | states of the past | THREE; label pod x app=w; delete pod y; create pod w; settle pods; get pods EXACT {r1}; get pods EXACT {r1} V; get pods EXACT {r2}; get pods EXACT {r2} V; get pods EXACT {r3}; get pods EXACT {r3} V; get pods EXACT {r4}; get pods EXACT {r4} V; get pods EXACT {r5}; get pods EXACT {r5} V
            LI-22 | a revision of another type | create pod x; create secret between; create pod y; settle pods; get pods EXACT {r2}; get pods ?resourceVersion={r2}; get pods ?resourceVersion={r2}&limit=1
            LI-9 | pages of a state of the past | THREE; delete pod z; create pod w; settle pods; get pods ?limit=1&resourceVersion={r3}; get pods ?limit=1&continue={token}; get pods ?limit=1&continue={token}
            LI-7 | a list that is not older | THREE; get pods ?resourceVersion={r3}; get pods ?resourceVersion={r1}; get pods ?resourceVersion={r3}&limit=2&resourceVersionMatch=NotOlderThan; label pod x app=w; get pods ?resourceVersion={last}
            GE-1 | an object that is not older | create pod x; get pods /x?resourceVersion={last}; label pod x app=w; get pods /x?resourceVersion={last}; create pod y; get pods /x?resourceVersion={last}; get pods /none?resourceVersion={last}
            """;

    /** Those of servers whose history is short, or that are not synchronized yet. */
    private static final String EXPIRED =
            """
            CO-10, CO-11 | a token outlives its state | create secret one,three,two; settle secrets; get-now secrets ?limit=1; create secret four,zero; settle secrets; await 410 secrets ?limit=1 NEXT; get secrets ?limit=1 NEXT; get-now secrets ?limit=1 NEXT; get-now secrets ?continue={token}
            LI-21 | a list of what is forgotten | create secret one,two,three; settle secrets; await 410 secrets EXACT {r1}; get secrets EXACT {r1}; get secrets ?resourceVersion={r1}&limit=1; get-now secrets ?resourceVersion={r1}
            IN-1 | a type that is not there yet | get-early moons; get-early moons ?resourceVersion=0; get-early moons ?watch=1; get-early moons ?watch=1&resourceVersion=5&allowWatchBookmarks=1; get-early moons ?labelSelector=a%3Db; get-early moons ?limit=x; get-early moons ?labelSelector=,; get-early moons ?fieldSelector=x%3D1; get-early moons ?resourceVersionMatch=Exact
            """;

    /** Steps that several scenarios begin with. */
    private static final Map<String, String> BEGINNINGS =
            Map.of(
                    "THREE",
                    "create pod x app=v; create pod y app=w; create pod z app=v; settle pods",
                    "PAST",
                    "create pod x app=v; label pod x more=yes; create pod y; label pod x app=w;"
                            + " label pod y app=v; delete pod y; create pod z app=v; settle pods");

    private static final String NOT_OLDER = "&resourceVersionMatch=NotOlderThan";
    private static final String HALF = "8000000000000000";

    /** The parts of targets that have a name. */
    private static final Map<String, String> PARTS =
            Map.ofEntries(
                    Map.entry("pods", "/api/v1/namespaces/{ns}/pods"),
                    Map.entry("secrets", "/api/v1/namespaces/{ns}/secrets"),
                    Map.entry("widgets", "/apis/example.com/v1/namespaces/{ns}/widgets"),
                    Map.entry("moons", "/apis/example.com/v2/moons"),
                    Map.entry("NEXT", "&continue={token}"),
                    Map.entry("LAST", "?watch=1&resourceVersion={last}"),
                    Map.entry("BRIEFLY", "?watch=1&resourceVersion={last}&timeoutSeconds=8"),
                    Map.entry("INITIAL", "?watch=1&sendInitialEvents=true" + NOT_OLDER),
                    Map.entry("LIVE", "?watch=1&sendInitialEvents=false" + NOT_OLDER),
                    Map.entry("BOOKMARKS", "&allowWatchBookmarks=true"),
                    Map.entry("V", "&labelSelector=app%3Dv"),
                    Map.entry("EXACT", "?resourceVersionMatch=Exact&resourceVersion="),
                    Map.entry("LOW", shard("0".repeat(16), HALF)),
                    Map.entry("HIGH", shard(HALF, "1" + "0".repeat(16))),
                    Map.entry(
                            "SHARD",
                            "?watch=1&timeoutSeconds=2&resourceVersion={r1}&labelSelector=!gone"
                                    + "&shardSelector="));

    private static final String TABLE = "Accept: application/json;as=Table;g=meta.k8s.io;v=v1";
    private static final String PARTIAL =
            "Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

    private final ScenarioContext context;
    private final Map<String, WatchedSide> watches = new HashMap<>();

    private ParityScenarios(ScenarioContext context) {
        this.context = context;
    }

    private static String shard(String start, String end) {
        return "shardRange(object.metadata.uid,'0x%s','0x%s')".formatted(start, end);
    }

    static List<ParityScenario> all() {
        return scenarios(SCENARIOS);
    }

    static List<ParityScenario> expired() {
        return scenarios(EXPIRED);
    }

    private static List<ParityScenario> scenarios(String rows) {
        return rows.lines()
                .filter(row -> !row.startsWith("#"))
                .map(row -> row.split(" \\| ", -1))
                .map(row -> new ParityScenario(row[0], row[1], context -> run(context, row[2])))
                .toList();
    }

    private static void run(ScenarioContext context, String steps) {
        ParityScenarios scenario = new ParityScenarios(context);
        for (String part : steps.split("; ", -1)) {
            for (String step : BEGINNINGS.getOrDefault(part, part).split("; ", -1)) {
                scenario.run(List.of(step.split(" ", -1)));
            }
        }
    }

    private void run(List<String> words) {
        String first = words.get(1);
        switch (words.getFirst()) {
            case "namespace" -> context.ensureNamespace(context.namespace() + "-" + first);
            case "settle" -> context.settle(target(words.subList(1, 2)));
            case "get" -> context.get(target(words.subList(1, words.size())));
            case "get-now" ->
                    context.get(target(words.subList(1, words.size())), ParityScenarios::now);
            case "get-early" ->
                    context.get(
                            target(words.subList(1, words.size())), ParityScenarios::withoutError);
            case "await" ->
                    context.await(target(words.subList(2, words.size())), Integer.parseInt(first));
            case "watch" -> watches.put(first, watch(words.subList(2, words.size())));
            case "expect" -> watch(first).expect(Integer.parseInt(words.get(2)));
            case "end" -> watch(first).expectEnd();
            default ->
                    Stream.of(words.get(2).split(",", -1))
                            .forEach(name -> write(words.getFirst(), first, name, words));
        }
    }

    /** The server compacts, which moves its revision without an event. */
    private static String now(String answer) {
        return answer.replaceFirst("(?<=\"metadata\":\\{\"resourceVersion\":\")\\d+", "now")
                .replaceAll("(?<='rv':)\\d+", "now");
    }

    /** The last error and the growing delay differ between the two sides. */
    private static String withoutError(String answer) {
        return answer.replaceAll("(?<=\\(re\\)initializing)[^\"\\\\]*(\\\\.[^\"\\\\]*)*", "")
                .replaceAll("(?<=retry-after: |\"retryAfterSeconds\":)\\d+", "n");
    }

    private WatchedSide watch(String name) {
        return Objects.requireNonNull(watches.get(name), name);
    }

    private void write(String verb, String kind, String name, List<String> words) {
        ResourceType type = kind.equals("widget") ? ServedTypes.WIDGETS : ServedTypes.PODS;
        String value = words.size() > 3 ? words.get(3) : "";
        switch (verb) {
            case "create" -> context.create(manifest(kind, name, value));
            case "label" -> {
                String[] pair = value.split("=", -1);
                boolean removes = pair.length == 1;
                context.label(
                        type,
                        name,
                        removes ? value.substring(0, value.length() - 1) : pair[0],
                        removes ? "null" : "\"" + pair[1] + "\"");
            }
            case "phase" -> context.phase(type, name, value);
            case "delete" -> context.delete(type, name);
            default -> throw new IllegalArgumentException(words.toString());
        }
    }

    private Manifest manifest(String kind, String path, String value) {
        String namespace = context.namespace();
        String name = path;
        if (path.contains("/")) {
            namespace += "-" + path.substring(0, path.indexOf('/'));
            name = path.substring(path.indexOf('/') + 1);
        }
        if (kind.equals("widget")) {
            return widget(namespace, name, Integer.parseInt(value));
        }
        Manifest manifest = kind.equals("secret") ? secret(namespace, name) : pod(namespace, name);
        return value.isEmpty() ? manifest : manifest.label("app", value.substring(4));
    }

    private WatchedSide watch(List<String> words) {
        int form = words.indexOf("as");
        if (form < 0) {
            return context.watch(target(words));
        }
        String target = target(words.subList(0, form));
        return switch (words.getLast()) {
            case "names" ->
                    context.watch(
                            target,
                            frame -> ColumnFilter.normalized(frame, Set.of("Name", "Age")),
                            TABLE);
            case "table" -> context.watch(target, TABLE);
            default -> context.watch(target, PARTIAL);
        };
    }

    private String target(List<String> words) {
        return words.stream()
                .map(word -> PARTS.getOrDefault(word, word))
                .collect(Collectors.joining())
                .replace("{last+3}", Long.toString(context.revision(3)));
    }
}
