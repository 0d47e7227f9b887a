package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.FakeForwardingApi;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.Floors;
import io.kubemirror.api.read.RevisionProbe;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.Selection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchStream;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.MirrorSets;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.Unchecked;

/**
 * An API server with pods whose states are all known, and a mirror of some of them that gets its
 * events one by one, when the test says so. Time passes only when somebody waits.
 */
final class WrittenServer implements Source {

    /** The states after each revision, by key. */
    private final List<Map<ObjectKey, KubeObject>> states = new ArrayList<>(List.of(Map.of()));

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final AtomicLong time = new AtomicLong();
    private final Selection selection;
    final Mirror mirror;
    final MirrorWriter writer;
    final List<ListRequest> requests = new ArrayList<>();
    final List<Revision> progress = new ArrayList<>();
    final MirrorSet mirrors;
    final Floors floors;
    boolean away;

    /** Done after the server has answered for its revision, before the answer arrives. */
    Runnable whileAsked = () -> {};

    boolean discovered = true;
    private int sent;

    WrittenServer(Selection selection) {
        this.selection = selection;
        // Each look at the clock takes longer than a mirror is waited for before it is looked up.
        this.mirror =
                new Mirror(
                        new Scope(new ResourceName("pods"), selection),
                        Mirrors.window(),
                        Mirrors.READS,
                        Runnable::run,
                        () -> time.addAndGet(Duration.ofSeconds(10).toNanos()));
        this.writer = Mirrors.writer(mirror, () -> 0);
        writer.identify(ApiSamples.PODS, DeclaredFields.NONE);
        RevisionProbe probe = new RevisionProbe(this, Runnable::run);
        this.mirrors = MirrorSets.of(mirror);
        AtomicLong waited = new AtomicLong();
        this.floors =
                new Floors(
                        mirrors,
                        probe,
                        PATIENCE,
                        (_, revision) -> progress.add(revision),
                        () -> waited.addAndGet(Duration.ofMillis(400).toNanos()));
        states.add(Map.of());
        sent = 1;
        writer.resync().complete(KubeObjects.revision(1));
    }

    WrittenServer() {
        this(Selection.everything());
    }

    int revision() {
        return states.size() - 1;
    }

    Optional<KubeObject> object(String path) {
        return Optional.ofNullable(states.getLast().get(new ObjectKey(path)));
    }

    /** The object as a mirror that selects some of them has it after a revision. */
    Optional<KubeObject> selected(ObjectKey key, int revision) {
        return Optional.ofNullable(states.get(revision).get(key)).filter(selection::matches);
    }

    /** Creates or replaces an object, directly. */
    KubeObject put(String path, String uid, Map<String, String> labels) {
        KubeObject object = KubeObjects.object(path, uid, states.size(), labels);
        Map<ObjectKey, KubeObject> next = new TreeMap<>(states.getLast());
        next.put(object.key(), object);
        states.add(next);
        return object;
    }

    /** Deletes an object, directly. */
    void remove(String path) {
        Map<ObjectKey, KubeObject> next = new TreeMap<>(states.getLast());
        next.remove(new ObjectKey(path));
        states.add(next);
    }

    /** Something else is written that is no pod. */
    void tick() {
        states.add(states.getLast());
    }

    /** Sends the mirror the next event, if there is one that it has not got. */
    boolean deliver() {
        while (sent < revision()) {
            int next = ++sent;
            Set<ObjectKey> keys = new TreeSet<>(states.get(next - 1).keySet());
            keys.addAll(states.get(next).keySet());
            for (ObjectKey key : keys) {
                Optional<KubeObject> before = selected(key, next - 1);
                Optional<KubeObject> after = selected(key, next);
                if (!after.equals(before)) {
                    after.ifPresentOrElse(
                            writer::upsert, () -> writer.delete(key, KubeObjects.revision(next)));
                    return true;
                }
            }
        }
        return false;
    }

    void deliverAll() {
        while (deliver()) {}
    }

    void bookmark() {
        deliverAll();
        writer.bookmark(KubeObjects.revision(revision()));
    }

    AnswerTracker begin(String method, String path) {
        String[] parts = path.split("\\?", 2);
        return new AnswerTracker(
                floors, _ -> discovered, method, RequestPath.parse(Optional.of(parts[0])));
    }

    /** Answers a request, and returns the headers that the answer gets. */
    static Map<String, String> answer(AnswerTracker request, int code, String body) {
        return answer(request, code, "application/json", body.getBytes(StandardCharsets.UTF_8));
    }

    static Map<String, String> answer(
            AnswerTracker request, int code, String contentType, byte[] body) {
        int length = Math.min(body.length, AnswerTracker.MAX_LENGTH);
        return request.answered(code, contentType, new ByteArrayInputStream(body, 0, length))
                .map(at -> Map.of(Exchange.MIN_REVISION, at.digits()))
                .orElse(Map.of());
    }

    static String pathOf(String path) {
        ObjectKey key = new ObjectKey(path);
        return "/api/v1/namespaces/" + key.namespace() + "/pods/" + key.name();
    }

    static String json(KubeObject object) {
        return "{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
                + new String(object.json(), StandardCharsets.UTF_8).substring(1);
    }

    static String deleted(KubeObject object) {
        return ("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\","
                        + "\"details\":{\"name\":\"%s\",\"kind\":\"pods\",\"uid\":\"%s\"}}\n")
                .formatted(object.key().name(), object.uid());
    }

    /** Updates an object through kubemirror. */
    KubeObject update(String path, String uid, Map<String, String> labels) {
        AnswerTracker write = begin("PUT", pathOf(path));
        KubeObject object = put(path, uid, labels);
        answer(write, 200, json(object));
        return object;
    }

    /** Deletes an object through kubemirror. */
    void delete(String path) {
        AnswerTracker write = begin("DELETE", pathOf(path));
        KubeObject object = object(path).orElseThrow();
        remove(path);
        answer(write, 200, deleted(object));
    }

    /** The state that a read gets without waiting. */
    Optional<Mirror.Position> now() {
        return read(mirror, Revision.ZERO, Duration.ZERO);
    }

    /** The state that a read gets after it has waited in vain for the mirror. */
    Optional<Mirror.Position> later() {
        return read(mirror, Revision.ZERO, PATIENCE);
    }

    Optional<Mirror.Position> read(Mirror of, Revision min, Duration patience) {
        return Unchecked.call(() -> floors.await(of, min, floors.deadline(patience)));
    }

    @Override
    public SourceDescription description() {
        return new SourceDescription("a test", "a test", "kubemirror.upstream");
    }

    @Override
    public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
        requests.add(request);
        if (away) {
            return Result.failed(FakeForwardingApi.AWAY);
        }
        states.getLast().values().stream()
                .filter(request.collection().selection()::matches)
                .limit(request.limit())
                .forEach(objects);
        Revision newest = KubeObjects.revision(revision());
        whileAsked.run();
        whileAsked = () -> {};
        return Result.of(new ListMeta(newest, null));
    }

    @Override
    public Result<TypeLookup> resolve(ResourceName name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Result<WatchStream> watch(WatchRequest request) {
        throw new UnsupportedOperationException();
    }
}
