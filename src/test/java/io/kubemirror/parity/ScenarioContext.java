package io.kubemirror.parity;

import module java.base;

import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.Manifest;
import io.kubemirror.testing.WaitLimit;

import tools.jackson.databind.node.ObjectNode;

/**
 * The context of a scenario: it writes to the server and records the responses of the server and of
 * kubemirror in two records that must be equal.
 *
 * <p>In targets <code>{ns}</code> is the namespace of the scenario, <code>{r1}</code> the revision
 * of the first write, <code>{last}</code> that of the last, <code>{token}</code> the last token
 * received.
 */
final class ScenarioContext implements AutoCloseable {

    /** Both sides. */
    private record Side(URI url, List<String> notes) {}

    private final ParityFixture parityFixture;
    private final String namespace;
    private final List<Side> sides;
    private final List<WatchedSide> watches = new ArrayList<>();
    private final Map<String, Long> revisions = new HashMap<>();
    private final Map<URI, String> answered = new HashMap<>();
    private int writes;

    ScenarioContext(ParityFixture parityFixture, String namespace) {
        this.parityFixture = parityFixture;
        this.namespace = namespace;
        sides =
                List.of(
                        new Side(parityFixture.server().url(), new ArrayList<>()),
                        new Side(parityFixture.mirror(), new ArrayList<>()));
        parityFixture.server().ensureNamespace(namespace);
    }

    String namespace() {
        return namespace;
    }

    /** Creates a further namespace. */
    void ensureNamespace(String name) {
        server().ensureNamespace(name);
    }

    /** Creates an object. */
    void create(Manifest manifest) {
        written(server().create(manifest));
    }

    /** Sets a label of an object, or removes it with {@code null} in JSON. */
    void label(ResourceType type, String name, String key, String json) {
        String patch = "{\"metadata\": {\"labels\": {\"%s\": %s}}}".formatted(key, json);
        written(server().patch(type, namespace, name, patch));
    }

    /** Sets the phase of an object's status. */
    void phase(ResourceType type, String name, String phase) {
        String patch = "{\"status\": {\"phase\": \"%s\"}}".formatted(phase);
        written(server().patchStatus(type, namespace, name, patch));
    }

    /** Deletes an object. */
    void delete(ResourceType type, String name) {
        server().delete(type, namespace, name);
    }

    private ApiServer server() {
        return parityFixture.server();
    }

    private void written(ObjectNode object) {
        writes++;
        revisions.put("r" + writes, JsonTrees.revision(object));
        revisions.put("last", JsonTrees.revision(object));
    }

    /** Returns a revision after the last write, which later writes will have. */
    long revision(int later) {
        return revisions.getOrDefault("last", 0L) + later;
    }

    /** Waits until both sides have the last write, which was to a collection. */
    void settle(String collection) {
        RawRequest reached =
                RawRequest.get(filled(collection) + "?resourceVersion=" + revisions.get("last"));
        for (Side side : sides) {
            WaitLimit.until(() -> parityFixture.ask(side.url(), reached).code() == 200);
        }
    }

    /** Records the responses of both sides. */
    void get(String target) {
        get(target, UnaryOperator.identity());
    }

    /** Records the responses of both sides after a change that makes them comparable. */
    void get(String target, UnaryOperator<String> comparable) {
        for (Side side : sides) {
            ObservedResponse answer = ask(side, target);
            ObservedResponse normalized = answer.withBody(Equality::normalized);
            side.notes().add(target + "\n" + comparable.apply(normalized.text()));
        }
    }

    /** Waits until both sides answer with a code. */
    void await(String target, int code) {
        for (Side side : sides) {
            WaitLimit.until(
                    () -> parityFixture.ask(side.url(), request(side, target)).code() == code);
        }
    }

    private ObservedResponse ask(Side side, String target) {
        ObservedResponse answer = parityFixture.ask(side.url(), request(side, target));
        if (Equality.tokenIn(answer.body()).isPresent()) {
            answered.put(side.url(), answer.body());
        }
        return answer;
    }

    private RawRequest request(Side side, String target) {
        String token = Equality.tokenIn(answered.getOrDefault(side.url(), "")).orElse("none");
        return RawRequest.get(filled(target).replace("{token}", token));
    }

    /** Opens a watch on both sides. */
    WatchedSide watch(String target, String... headers) {
        return watch(target, UnaryOperator.identity(), headers);
    }

    /**
     * Opens a watch on both sides, whose frames are recorded after a change that makes them
     * comparable.
     */
    WatchedSide watch(String target, UnaryOperator<String> comparable, String... headers) {
        RawRequest request = RawRequest.get(filled(target));
        for (String header : headers) {
            request = request.with(header);
        }
        List<RecordedFrames> frames = new ArrayList<>();
        for (Side side : sides) {
            side.notes().add("WATCH " + target);
            frames.add(
                    new RecordedFrames(
                            RawExchange.send(side.url(), request), side.notes(), comparable));
        }
        WatchedSide watching = new WatchedSide(frames);
        watches.add(watching);
        return watching;
    }

    /** A watch on both sides. */
    record WatchedSide(List<RecordedFrames> sides) implements AutoCloseable {

        /** Records the given number of frames. */
        void expect(int count) {
            sides.forEach(side -> side.note(count));
        }

        /** Records frames until the stream ends, and equal consecutive frames once. */
        void expectEnd() {
            sides.forEach(RecordedFrames::noteRest);
        }

        @Override
        public void close() {
            sides.forEach(RecordedFrames::close);
        }
    }

    private String filled(String target) {
        String text = target.replace("{ns}", namespace);
        for (Map.Entry<String, Long> revision : revisions.entrySet()) {
            text = text.replace("{" + revision.getKey() + "}", revision.getValue().toString());
        }
        return text;
    }

    /** Returns the record of the server. */
    List<String> original() {
        return sides.getFirst().notes();
    }

    /** Returns the record of kubemirror. */
    List<String> mirrored() {
        return sides.getLast().notes();
    }

    @Override
    public void close() {
        watches.forEach(WatchedSide::close);
    }
}
