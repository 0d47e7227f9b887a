package io.kubemirror.history;

import module java.base;

import io.kubemirror.history.Operation.Act;
import io.kubemirror.history.Operation.Answer;
import io.kubemirror.history.Operation.Head;
import io.kubemirror.history.Operation.Mode;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A client that reads and writes at random, at one replica after the other, and records what it
 * saw. For use by one thread.
 */
class Client {

    /** The greatest revision of each type that any client knows. */
    static final class KnownRevisions {

        private final Map<String, Long> revisions = new ConcurrentHashMap<>();
        private final AtomicLong values;

        KnownRevisions() {
            this(new AtomicLong());
        }

        private KnownRevisions(AtomicLong values) {
            this.values = values;
        }

        /** Knows no revisions, but the values that were written. */
        KnownRevisions forget() {
            return new KnownRevisions(values);
        }

        /** A value that nobody has written yet. */
        String nextValue() {
            return Long.toString(values.incrementAndGet());
        }

        void know(String resource, long revision) {
            revisions.merge(resource, revision, Math::max);
        }

        long of(String resource) {
            return revisions.getOrDefault(resource, 0L);
        }
    }

    /** An answer that can be asked for again, if it has changed. */
    private record TaggedAnswer(
            Replica replica, StoredType type, String target, String tag, Operation operation) {}

    /** Demands what is not older than a second. */
    static final String MAX_AGE = "Kubemirror-Max-Age";

    /** A client that is refused does not come back at once. */
    static final long AFTER_LOSS = 200_000_000;

    /** The most milliseconds that a client is away beyond two seconds. */
    private static final int AWAY = 12_000;

    private static final int NAMES = 8;
    private static final int TAGS = 10;
    private static final long FUTURE = 1_000_000;
    private static final List<String> LABELS = List.of("v", "w");

    final History history;
    final String name;
    final Random random;
    final KnownRevisions known;
    private final List<Replica> replicas;
    private final Map<Replica, RestClient> clients;
    private final List<TaggedAnswer> tagged = new ArrayList<>();

    Client(
            History history,
            String name,
            List<Replica> replicas,
            Random random,
            KnownRevisions known,
            Function<Replica, RestClient> connection) {
        this.history = history;
        this.name = name;
        this.replicas = List.copyOf(replicas);
        this.random = random;
        this.known = known;
        clients = replicas.stream().collect(Collectors.toMap(replica -> replica, connection));
    }

    Replica anyReplica() {
        return replicas.get(random.nextInt(replicas.size()));
    }

    RestClient at(Replica replica) {
        return Objects.requireNonNull(clients.get(replica));
    }

    StoredType anyType() {
        return StoredType.ALL.get(random.nextInt(StoredType.ALL.size()));
    }

    String anyNamespace() {
        return StoredType.NAMESPACES.get(random.nextInt(StoredType.NAMESPACES.size()));
    }

    String anyName() {
        return "x" + random.nextInt(NAMES);
    }

    String anyLabel() {
        return LABELS.get(random.nextInt(LABELS.size()));
    }

    boolean chance(int of) {
        return random.nextInt(of) == 0;
    }

    /** Does something else for so long that a history may have moved on. */
    void beAway() {
        LockSupport.parkNanos(Duration.ofMillis(2_000 + random.nextInt(AWAY)).toNanos());
    }

    /** Objects that a list or watch selects, mostly all. */
    Selected anySelection() {
        return new Selected(
                chance(2) ? anyNamespace() : "",
                chance(6) ? anyName() : "",
                chance(4) ? anyLabel() : "",
                chance(6) ? random.nextInt(4) : -1);
    }

    /** The parameters that select. */
    static String query(Selected selected) {
        StringBuilder query = new StringBuilder("?");
        if (!selected.name().isEmpty()) {
            query.append("fieldSelector=metadata.name%3D").append(selected.name()).append('&');
        }
        if (!selected.label().isEmpty()) {
            query.append("labelSelector=app%3D").append(selected.label()).append('&');
        }
        if (selected.shard() >= 0) {
            query.append("shardSelector=shardRange(object.metadata.uid,%20%27")
                    .append("0x%016x".formatted((long) selected.shard() << 62))
                    .append("%27,%20%270x")
                    .append(
                            selected.shard() == 3
                                    ? "10000000000000000"
                                    : "%016x".formatted((long) (selected.shard() + 1) << 62))
                    .append("%27)&");
        }
        return query.toString();
    }

    /** One request in the course of being answered. */
    final class Call {

        private final Replica replica;
        private final int life;
        private final StoredType type;
        private final Selected selected;
        private final Act act;
        private final long called = System.nanoTime();
        Mode mode = Mode.RECENT;
        long wanted;
        long minimum;
        boolean current;

        Call(Replica replica, StoredType type, Selected selected, Act act) {
            this.replica = replica;
            this.type = type;
            this.selected = selected;
            this.act = act;
            life = replica.life();
        }

        Replica replica() {
            return replica;
        }

        StoredType type() {
            return type;
        }

        long called() {
            return called;
        }

        /** Chooses which state to ask for, and returns the parameters. */
        String chooseMode(boolean exact) {
            mode =
                    List.of(Mode.RECENT, Mode.RECENT, Mode.ANY, Mode.NOT_OLDER, Mode.EXACT)
                            .get(random.nextInt(exact ? 5 : 4));
            wanted = anyRevision();
            if (mode == Mode.RECENT && chance(2)) {
                minimum = known.of(type.plural());
            }
            current = chance(12);
            return switch (mode) {
                case RECENT, RESUME -> "";
                case ANY -> "resourceVersion=0&";
                case NOT_OLDER ->
                        "resourceVersion=" + wanted + "&resourceVersionMatch=NotOlderThan&";
                case EXACT -> "resourceVersion=" + wanted + "&resourceVersionMatch=Exact&";
            };
        }

        private long anyRevision() {
            long newest = Math.max(1, known.of(type.plural()));
            if (chance(40)) {
                return newest + FUTURE;
            }
            return chance(2)
                    ? newest
                    : Math.max(1, newest - random.nextInt(chance(5) ? 5_000 : 50));
        }

        String[] headers() {
            if (current) {
                minimum = 0;
                return new String[] {MAX_AGE, "1"};
            }
            return minimum > 0
                    ? new String[] {"Kubemirror-Min-Revision", Long.toString(minimum)}
                    : new String[0];
        }

        Operation record(String request, Answer answer) {
            return record(request, replica.name(), life == replica.life() ? life : -1, answer);
        }

        Operation record(String request, String where, int process, Answer answer) {
            String text = request + (minimum > 0 ? " Kubemirror-Min-Revision" : "");
            text += current ? " " + MAX_AGE + ": 1" : "";
            Operation operation =
                    new Operation(
                            history.nextId(),
                            name,
                            where,
                            process,
                            type.plural(),
                            selected,
                            act,
                            mode,
                            wanted,
                            minimum,
                            text,
                            called,
                            System.nanoTime(),
                            answer);
            history.add(operation);
            if (answer.isSuccess() && answer.revision() > 0) {
                known.know(type.plural(), answer.revision());
            }
            return operation;
        }
    }

    static long number(String text) {
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : -1;
    }

    private static Answer answer(RestResponse response, long revision, List<Version> objects) {
        return answer(response, revision, -1, objects);
    }

    private static Answer answer(
            RestResponse response, long revision, long count, List<Version> objects) {
        return new Answer(
                head(response, number(response.header("kubemirror-revision"))),
                revision,
                count,
                objects,
                List.of(),
                false);
    }

    private static Head head(RestResponse response, long told) {
        return new Head(
                System.nanoTime(),
                response.code(),
                response.header("kubemirror-state"),
                number(response.header("kubemirror-upstream-age")),
                told,
                response.code() < 400 ? "" : message(response.body()));
    }

    /** The message of a status, or the text that there is in place of one. */
    static String message(String body) {
        try {
            return JsonTrees.parse(body).path("message").asString("");
        } catch (RuntimeException e) {
            return body;
        }
    }

    /** The API server does not know of shards: its clients select the objects themselves. */
    private static Selected shard(RestResponse response, Selected selected) {
        boolean passed = response.header("kubemirror-state").equals("passed");
        return new Selected("", "", "", passed ? selected.shard() : -1);
    }

    private static List<Version> objects(Call call, RestResponse response, JsonNode json) {
        return call.act == Act.GET
                ? List.of(StoredType.version(json, false))
                : items(json, shard(response, call.selected));
    }

    private static List<Version> items(JsonNode list, Selected wanted) {
        List<Version> items = new ArrayList<>();
        for (JsonNode item : list.path("items")) {
            Version version = StoredType.version(item, false);
            if (StoredType.isOurs(version.namespace()) && wanted.concerns(version)) {
                items.add(version);
            }
        }
        return items;
    }

    /** Writes an object with a value that no other write has. */
    void write() {
        Replica replica = anyReplica();
        StoredType type = anyType();
        String namespace = anyNamespace();
        String object = anyName();
        Selected selected = new Selected(namespace, object, "", -1);
        String path = type.path(namespace);
        String body = type.body(object, anyLabel(), known.nextValue());
        if (chance(6)) {
            Call call = new Call(replica, type, selected, Act.DELETE);
            if (send(call, "DELETE", path + "/" + object, null) == 200 && chance(2)) {
                readBack(replica, type, selected);
            }
        } else {
            Call call = new Call(replica, type, selected, Act.WRITE);
            if (send(call, "PATCH", path + "/" + object, body) == 404) {
                send(new Call(replica, type, selected, Act.WRITE), "POST", path, body);
            }
            if (chance(2)) {
                readBack(replica, type, selected);
            }
        }
    }

    /** Reads what was written: at the same replica, or with its revision at any. */
    private void readBack(Replica replica, StoredType type, Selected selected) {
        boolean same = chance(2);
        boolean single = chance(2);
        Selected read = single ? selected : new Selected(selected.namespace(), "", "", -1);
        Call call =
                new Call(same ? replica : anyReplica(), type, read, single ? Act.GET : Act.LIST);
        call.mode = chance(2) ? Mode.RECENT : Mode.ANY;
        call.minimum = same ? 0 : known.of(type.plural());
        String path = type.path(selected.namespace()) + (single ? "/" + selected.name() : "");
        ask(call, path + "?" + (call.mode == Mode.ANY ? "resourceVersion=0" : ""));
    }

    private int send(Call call, String method, String target, @Nullable String body) {
        try {
            RestResponse response = at(call.replica).send(method, target, body);
            ObjectNode json = response.code() >= 300 ? JsonTrees.object() : response.json();
            long token = number(response.header("kubemirror-min-revision"));
            long revision = call.act == Act.WRITE ? JsonTrees.revision(json) : 0;
            List<Version> objects =
                    response.code() >= 300
                            ? List.of()
                            : List.of(
                                    call.act == Act.WRITE
                                            ? StoredType.version(json, false)
                                            : deleted(call, json));
            call.record(
                    method + " " + target,
                    new Answer(head(response, token), revision, -1, objects, List.of(), false));
            return response.code();
        } catch (UncheckedIOException e) {
            call.record(method + " " + target, Answer.lost(e.toString()));
            LockSupport.parkNanos(AFTER_LOSS);
            return -1;
        }
    }

    /** A deletion is answered with the object, or with a status that has its UID. */
    private static Version deleted(Call call, ObjectNode json) {
        String uid =
                json.path("details")
                        .path("uid")
                        .asString(json.path("metadata").path("uid").asString(""));
        String key = call.selected.namespace() + "/" + call.selected.name();
        return new Version(0, key, uid, 0, "", "", true);
    }

    /** Reads in one of many ways. */
    void read() {
        switch (random.nextInt(11)) {
            case 0, 1, 2 -> get();
            case 10 -> again();
            case 3, 4, 5 -> list();
            case 6, 7 -> pages();
            case 8 -> sorted();
            default -> count();
        }
    }

    private void get() {
        Selected selected = new Selected(anyNamespace(), anyName(), "", -1);
        Call call = new Call(anyReplica(), anyType(), selected, Act.GET);
        String path = call.type.path(selected.namespace()) + "/" + selected.name() + "?";
        ask(call, path + call.chooseMode(false));
    }

    private void list() {
        Selected selected = anySelection();
        Call call = new Call(anyReplica(), anyType(), selected, Act.LIST);
        String target = call.type.path(selected.namespace()) + query(selected);
        ask(call, target + call.chooseMode(true));
    }

    private void ask(Call call, String target) {
        try {
            RestResponse response = at(call.replica).get(target, call.headers());
            boolean found = response.code() == 200;
            JsonNode json = found ? response.json() : JsonTrees.object();
            Operation operation =
                    call.record(
                            "GET " + target,
                            answer(
                                    response,
                                    found ? JsonTrees.revision(json) : -1,
                                    found ? objects(call, response, json) : List.of()));
            String tag = response.header("etag");
            if (found && !tag.isEmpty()) {
                tagged.add(new TaggedAnswer(call.replica, call.type, target, tag, operation));
            }
            if (tagged.size() > TAGS) {
                tagged.removeFirst();
            }
        } catch (UncheckedIOException e) {
            lost(call, target, e);
        }
    }

    /** Asks whether an answer has changed; if not, it counts as answered again. */
    private void again() {
        if (tagged.isEmpty()) {
            return;
        }
        TaggedAnswer old = tagged.get(random.nextInt(tagged.size()));
        Operation before = old.operation();
        Call call = new Call(old.replica(), old.type(), before.selected(), before.act());
        call.mode = before.mode();
        call.wanted = before.wanted();
        try {
            RestResponse response = at(old.replica()).get(old.target(), "If-None-Match", old.tag());
            if (response.code() == 304) {
                long told = number(response.header("kubemirror-revision"));
                boolean single = before.act() == Act.GET;
                long revision = single || told < 0 ? before.answer().revision() : told;
                Answer same = answer(response, revision, before.answer().objects());
                call.record("GET " + old.target() + " If-None-Match", same.found());
            }
        } catch (UncheckedIOException e) {
            lost(call, old.target(), e);
        }
    }

    private static void lost(Call call, String target, Exception reason) {
        call.record("GET " + target, Answer.lost(reason.toString()));
        LockSupport.parkNanos(AFTER_LOSS);
    }

    /** Reads a list in pages, which together are one answer. */
    private void pages() {
        Selected selected = anySelection();
        Call call = new Call(anyReplica(), anyType(), selected, Act.LIST);
        String target = call.type.path(selected.namespace()) + query(selected);
        String first = target + call.chooseMode(true) + "limit=" + (1 + random.nextInt(6));
        List<Version> all = new ArrayList<>();
        try {
            RestResponse start = at(call.replica).get(first, call.headers());
            RestResponse page = start;
            String token = token(all, page, selected);
            while (!token.isEmpty()) {
                if (chance(3)) {
                    write();
                }
                if (chance(60)) {
                    beAway();
                }
                page = at(call.replica).get(target + "limit=5&continue=" + token);
                if (page.code() != 200) {
                    call.record("GET " + target + "&continue", answer(page, -1, List.of()));
                    return;
                }
                token = token(all, page, selected);
            }
            long revision = start.code() == 200 ? JsonTrees.revision(start.json()) : -1;
            boolean torn = start.code() == 200 && JsonTrees.revision(page.json()) != revision;
            call.record(
                    "GET " + first + (page.equals(start) ? "" : "&continue"),
                    answer(start, torn ? 0 : revision, all));
        } catch (UncheckedIOException e) {
            lost(call, first, e);
        }
    }

    private static String token(List<Version> all, RestResponse page, Selected selected) {
        if (page.code() != 200) {
            return "";
        }
        ObjectNode json = page.json();
        all.addAll(items(json, shard(page, selected)));
        return json.path("metadata").path("continue").asString("");
    }

    private void sorted() {
        Selected selected = anySelection();
        Call call = new Call(anyReplica(), anyType(), selected, Act.LIST);
        String target =
                call.type.path(selected.namespace())
                        + query(selected)
                        + call.chooseMode(true)
                        + "sortBy=metadata.annotations%5B%27v%27%5D";
        send(call, target);
    }

    private void count() {
        Selected selected = anySelection();
        if (selected.namespace().isEmpty()) {
            // Others may have objects, too.
            selected = new Selected(anyNamespace(), selected.name(), selected.label(), -1);
        }
        Call call = new Call(anyReplica(), anyType(), selected, Act.COUNT);
        String how = chance(2) ? "count=only" : "groupBy=metadata.labels%5B%27app%27%5D";
        String target = call.type.path(selected.namespace()) + query(selected);
        send(call, target + call.chooseMode(true) + how);
    }

    private void send(Call call, String target) {
        try {
            RestResponse response = at(call.replica).get(target, call.headers());
            boolean found = response.code() == 200;
            JsonNode json = found ? response.json() : JsonTrees.object();
            call.record(
                    "GET " + target,
                    answer(
                            response,
                            found ? JsonTrees.revision(json) : -1,
                            counted(json),
                            found ? items(json, shard(response, call.selected)) : List.of()));
        } catch (UncheckedIOException e) {
            lost(call, target, e);
        }
    }

    /** The number of objects, which the groups have together; negative if they differ. */
    private static long counted(JsonNode json) {
        long count = json.path("metadata").path("remainingItemCount").asLong(-1);
        long grouped = 0;
        for (JsonNode group : json.path("groups")) {
            grouped += group.path("count").asLong();
        }
        return json.has("groups") && grouped != count ? -1 : count;
    }
}
