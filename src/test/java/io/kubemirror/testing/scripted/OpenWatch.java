package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.api.http.GoJson;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Status;
import io.kubemirror.testing.JsonTrees;

import tools.jackson.databind.node.ObjectNode;

/**
 * An open watch of a {@link ScriptedApiServer} that a test controls.
 *
 * <p>Frames go through one queue, in order: an event that was committed before {@link #end} is
 * still delivered, a later one is not. May be called from any thread.
 */
public final class OpenWatch {

    private final ResourceType type;
    private final ScriptedListOptions options;
    private final LinkedBlockingDeque<Step> steps = new LinkedBlockingDeque<>();
    private final RequestedForm form;
    private long from;

    OpenWatch(ReceivedRequest request, ResourceType type, ScriptedListOptions options) {
        this.type = type;
        this.options = options;
        this.form = RequestedForm.of(request);
    }

    /** What the connection's thread does next. */
    public sealed interface Step {
        /** Writes text as it is. */
        record Write(String text) implements Step {}

        /** Ends the stream with a final chunk. */
        record End() implements Step {}

        /** Closes the connection without a final chunk. */
        record Cut() implements Step {}
    }

    /** Sends text as it is: a frame or anything else. */
    public void send(String text) {
        steps.add(new Step.Write(text));
    }

    /**
     * Sends the failure as an ERROR event and ends the stream, as the API server does
     * (list-watch.md#wa-22).
     */
    public void fail(Status status) {
        send(error(status));
        end();
    }

    /** Ends the stream cleanly. */
    public void end() {
        steps.add(new Step.End());
    }

    /** Breaks the connection off after what is queued, without the final chunk. */
    public void cut() {
        steps.add(new Step.Cut());
    }

    /**
     * Queues a change if it comes after the start and matches the selection (list-watch.md#ev-1 to
     * #ev-4).
     */
    void offer(StoredEvent event) {
        if (event.revision() <= from) {
            return;
        }
        boolean was = event.previous() != null && options.selection().test(event.previous());
        boolean is =
                event.kind() != StoredEvent.EventKind.DELETED
                        && options.selection().test(event.object());
        if (is) {
            frame(was ? "MODIFIED" : "ADDED", event.object());
        } else if (was && event.previous() != null) {
            frame("DELETED", JsonTrees.withRevision(event.previous(), event.revision()));
        }
    }

    /** Sends an object of the present state. */
    void added(ObjectNode object) {
        frame("ADDED", object);
    }

    private void frame(String event, ObjectNode object) {
        send(text(event, form.object(object)));
    }

    private static String text(String event, ObjectNode object) {
        ObjectNode frame = JsonTrees.object().put("type", event);
        frame.set("object", object);
        return JsonTrees.text(frame) + "\n";
    }

    /** The in-stream failure that ends a watch (list-watch.md#st-4). */
    static String error(Status status) {
        return text("ERROR", (ObjectNode) GoJson.tree(GoJson.status(status)));
    }

    private ObjectNode bookmarked(long revision) {
        ObjectNode object =
                JsonTrees.object().put("kind", type.kind()).put("apiVersion", type.apiVersion());
        object.putObject("metadata").put("resourceVersion", Long.toString(revision));
        return object;
    }

    /**
     * Sends a bookmark if the client takes any and is not ahead of the revision
     * (list-watch.md#wa-10).
     */
    void bookmark(long revision) {
        if (options.sent().streaming().bookmarks() && revision >= from) {
            frame("BOOKMARK", bookmarked(revision));
        }
    }

    /** Sends the bookmark that ends the initial events (list-watch.md#bm-10). */
    void initialEventsEnd(long revision) {
        ObjectNode object = bookmarked(revision);
        object.withObject("metadata")
                .putObject("annotations")
                .put("k8s.io/initial-events-end", "true");
        frame("BOOKMARK", object);
    }

    /** From now on only later changes count. */
    void startAfter(long revision) {
        from = revision;
    }

    /** Writes some steps and then what comes, until the stream has ended in one of its ways. */
    void run(ScriptedResponse answer, List<Step> first) throws IOException {
        first.reversed().forEach(steps::addFirst);
        while (true) {
            switch (take()) {
                case Step.Write(String text) -> answer.chunk(text);
                case Step.End() -> {
                    answer.end();
                    return;
                }
                case Step.Cut() -> {
                    answer.breakOff();
                    return;
                }
            }
        }
    }

    private Step take() {
        try {
            return steps.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Step.Cut();
        }
    }
}
