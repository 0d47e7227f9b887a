package io.kubemirror.history;

import module java.base;

import io.kubemirror.history.Operation.Act;
import io.kubemirror.history.Operation.Answer;
import io.kubemirror.history.Operation.Head;
import io.kubemirror.history.Operation.Mode;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WatchReader;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A client that watches: it begins with the state, and resumes where it was, at the same replica or
 * another one. {@link #close} ends its watch from another thread.
 */
final class Watcher extends Client implements AutoCloseable {

    private static final String STREAM = "/kubemirror/v1/watch?";

    private volatile @Nullable WatchReader open;
    private volatile boolean closed;
    private final boolean slow;
    private long resumable;
    private StoredType type = anyType();
    private Selected selected = Selected.ALL;

    Watcher(
            History history,
            String name,
            List<Replica> replicas,
            Random random,
            KnownRevisions known,
            Function<Replica, RestClient> connection,
            boolean slow) {
        super(history, name, replicas, random, known, connection);
        this.slow = slow;
    }

    /** Watches once. */
    void watch() throws InterruptedException {
        if (resumable == 0 || chance(4)) {
            resumable = 0;
            type = slow && chance(2) ? StoredType.CACHED : anyType();
            selected = anySelection();
        } else if (chance(slow ? 3 : 12)) {
            beAway();
        }
        Call call = new Call(anyReplica(), type, selected, Act.WATCH);
        boolean late = slow || chance(5);
        String target =
                type.path(selected.namespace())
                        + query(selected)
                        + "watch=true&allowWatchBookmarks=true&timeoutSeconds="
                        + (2 + random.nextInt(slow ? 30 : 12))
                        + start(call)
                        + (late ? "" : "&bookmarkIntervalSeconds=1");
        List<Frame> frames = new ArrayList<>();
        try (WatchReader reader = at(call.replica()).watch(target, call.headers())) {
            open = reader;
            Head head = head(reader);
            boolean broken = follow(reader, frames, late);
            call.record("GET " + target, answer(head, frames, broken && closed && !late));
        } catch (UncheckedIOException e) {
            call.record("GET " + target, Answer.lost(e.toString()));
            LockSupport.parkNanos(AFTER_LOSS);
        }
        remember(frames);
    }

    private String start(Call call) {
        if (resumable > 0) {
            call.mode = Mode.RESUME;
            call.wanted = chance(12) ? Math.max(1, resumable - 3_000) : resumable;
            return "&resourceVersion=" + call.wanted;
        }
        String mode = "&" + call.chooseMode(false);
        return call.mode == Mode.NOT_OLDER || chance(2)
                ? mode.replace("resourceVersionMatch=NotOlderThan&", "")
                        + "sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                : mode.substring(0, mode.endsWith("&") ? mode.length() - 1 : mode.length());
    }

    /** Reads until the end, and returns whether the connection was broken. */
    private boolean follow(WatchReader reader, List<Frame> frames, boolean slow)
            throws InterruptedException {
        if (reader.code() != 200) {
            return false;
        }
        try {
            Optional<String> line = reader.nextLine();
            while (line.isPresent()) {
                add(frames, JsonTrees.parse(line.get()));
                if (slow) {
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(40));
                }
                line = reader.nextLine();
            }
            return false;
        } catch (UncheckedIOException e) {
            // What came before still counts.
            return true;
        }
    }

    /** Adds an event, unless it is about an object of others. */
    private static void add(List<Frame> frames, JsonNode event) {
        Frame frame = frame(event);
        String namespace = frame.object().namespace();
        if (namespace.isEmpty() || StoredType.isOurs(namespace)) {
            frames.add(frame);
        }
    }

    private static Frame frame(JsonNode event) {
        JsonNode object = event.path("object");
        String kind = event.path("type").asString("");
        JsonNode annotations = object.path("metadata").path("annotations");
        boolean bookmark = kind.equals("BOOKMARK");
        boolean error = kind.equals("ERROR");
        return new Frame(
                System.nanoTime(),
                kind,
                bookmark || error ? NOTHING : StoredType.version(object, kind.equals("DELETED")),
                error ? object.path("code").asLong() : JsonTrees.revision(object),
                annotations.has("k8s.io/initial-events-end"));
    }

    private static final Version NOTHING = new Version(0, "/", "", 0, "", "", true);

    private static Answer answer(Head head, List<Frame> frames, boolean starved) {
        return new Answer(head, -1, -1, List.of(), frames, starved);
    }

    private static Head head(WatchReader reader) {
        return new Head(
                System.nanoTime(),
                reader.code(),
                reader.header("Kubemirror-State"),
                number(reader.header("Kubemirror-Upstream-Age")),
                number(reader.header("Kubemirror-Revision")),
                reader.code() < 400 ? "" : message(reader.nextLine().orElse("")));
    }

    private static Answer broken(List<Frame> frames) {
        Head head = new Head(0, 200, "", -1, -1, "");
        return new Answer(head, -1, -1, List.of(), frames, false);
    }

    /** Where to resume: after the last event, unless the initial events are incomplete. */
    private void remember(List<Frame> frames) {
        boolean complete = resumable > 0 || frames.stream().anyMatch(Frame::end);
        if (!frames.isEmpty() && frames.getLast().isError()) {
            resumable = 0;
        } else if (complete && !frames.isEmpty()) {
            resumable = frames.getLast().revision();
            known.know(type.plural(), resumable);
        }
    }

    /** One resource of a stream, as one watch however often the stream is resumed. */
    private final class StreamedWatch {

        private final Call call;
        private final List<Frame> frames = new ArrayList<>();
        private int kept;

        StreamedWatch(Replica replica, StoredType type) {
            call = new Call(replica, type, selected, Act.WATCH);
            call.mode = Mode.ANY;
        }

        boolean isComplete() {
            return frames.subList(0, kept).stream().anyMatch(Frame::end);
        }
    }

    /** Follows all types in one stream, which is resumed some times. */
    void stream() throws InterruptedException {
        selected = new Selected(anyNamespace(), "", chance(2) ? anyLabel() : "", -1);
        Map<String, StreamedWatch> watches = new TreeMap<>();
        StringBuilder where = new StringBuilder();
        String cursor = "";
        for (int i = 0; i < 4 && !closed; i++) {
            if (i > 0 && chance(8)) {
                beAway();
            }
            Replica replica = anyReplica();
            where.append(where.isEmpty() ? "" : ",").append(replica.name());
            cursor = stream(replica, cursor, watches, where.toString());
        }
        watches.values().forEach(watch -> finish(watch, where.toString()));
    }

    /** Returns the last cursor. */
    private String stream(
            Replica replica, String cursor, Map<String, StreamedWatch> watches, String where) {
        StringBuilder target = new StringBuilder(STREAM);
        for (StoredType one : List.of(StoredType.CACHED, StoredType.VERIFIED)) {
            target.append("resource=").append(one.name()).append('&');
            StreamedWatch old = watches.get(one.name());
            if (old == null || !old.isComplete()) {
                watches.put(one.name(), new StreamedWatch(replica, one));
            }
        }
        target.append("namespace=").append(selected.namespace());
        target.append(selected.label().isEmpty() ? "" : "&labelSelector=app%3D" + selected.label());
        target.append("&timeoutSeconds=").append(2 + random.nextInt(6));
        String last = cursor;
        String[] resumed =
                cursor.isEmpty() ? new String[0] : new String[] {"Last-Event-ID", cursor};
        try (WatchReader reader = at(replica).watch(target.toString(), resumed)) {
            open = reader;
            if (reader.code() != 200) {
                return cursor;
            }
            Optional<String> line = reader.nextLine();
            String id = "";
            while (line.isPresent()) {
                if (line.get().startsWith("id: ")) {
                    id = line.get().substring(4);
                }
                if (!line.get().startsWith("data: ")) {
                    line = reader.nextLine();
                    continue;
                }
                ObjectNode event = JsonTrees.parse(line.get().substring(6));
                if (event.path("type").asString().equals("STATE")) {
                    line = reader.nextLine();
                    continue;
                }
                String resource = event.path("resource").asString();
                Frame frame = frame(event);
                StreamedWatch watch = Objects.requireNonNull(watches.get(resource));
                watch.frames.add(frame);
                if (frame.isError()) {
                    finish(watch, where);
                    watches.put(resource, new StreamedWatch(replica, watch.call.type()));
                }
                if (!id.isEmpty()) {
                    last = id;
                    id = "";
                    watches.values().forEach(one -> one.kept = one.frames.size());
                }
                line = reader.nextLine();
            }
        } catch (UncheckedIOException e) {
            // The next one resumes at the last cursor.
            LockSupport.parkNanos(AFTER_LOSS);
        }
        watches.values().forEach(one -> one.frames.subList(one.kept, one.frames.size()).clear());
        return last;
    }

    private void finish(StreamedWatch watch, String where) {
        if (watch.frames.isEmpty()) {
            return;
        }
        boolean resumed = where.contains(",");
        watch.call.record(
                "GET " + STREAM + (resumed ? "cursor" : ""),
                where,
                -1,
                broken(List.copyOf(watch.frames)));
    }

    @Override
    public void close() {
        closed = true;
        WatchReader reader = open;
        if (reader != null) {
            reader.cancel();
        }
    }
}
