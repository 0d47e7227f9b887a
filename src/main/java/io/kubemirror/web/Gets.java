package io.kubemirror.web;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.GoString;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Answers requests for one object (spec 4.6). */
final class Gets {

    private final MirrorDirectory directory;
    private final Freshness freshness;
    private final Answerers answerers;

    Gets(MirrorDirectory directory, Freshness freshness, Answerers answerers) {
        this.directory = directory;
        this.freshness = freshness;
        this.answerers = answerers;
    }

    /**
     * Answers with an object.
     *
     * @throws Rejection if there is none
     * @throws IOException if the client is gone
     * @throws InterruptedException if the thread is interrupted while it waits for a revision
     */
    void answer(MirroredResource resource, RequestPath.Item item, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        checkExport(exchange.query());
        checkName(item.name());
        Mirror mirror = resource.mirrorOf(item.namespace(), item.name());
        if (answerers.isMirror(resource, item, mirror, exchange)) {
            read(resource.type(), item, mirror, exchange).send(exchange.response());
        }
    }

    private Reply read(ResourceType type, RequestPath.Item item, Mirror mirror, Exchange exchange)
            throws Rejection, InterruptedException {
        String text = exchange.query().text("resourceVersion");
        if (!text.isEmpty()) {
            var revision = RevisionParameter.parse(text, mirror.revision());
            directory.stateOf(mirror);
            freshness.await(mirror, revision, exchange.allotted());
        }
        Snapshot state = directory.stateOf(mirror);
        return state.get(ObjectKey.of(item.namespace(), item.name()))
                .map(object -> Reply.json(document(type, object)))
                .map(reply -> reply.with(Admission.REVISION, state.revision().digits()))
                .orElseThrow(() -> new Rejection(StatusErrors.notFound(type, item.name())));
    }

    private static byte[] document(ResourceType type, KubeObject object) {
        TypeMeta meta = new TypeMeta(type);
        int length = meta.opening().length + object.json().length;
        ByteArrayOutputStream document = new ByteArrayOutputStream(length);
        try {
            meta.writeObject(object, document);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        document.write('\n');
        return document.toByteArray();
    }

    /** DE-6. */
    private static void checkExport(Query query) throws Rejection {
        if (query.isOn("export")) {
            throw new Rejection(
                    StatusErrors.badRequest(
                            "the export parameter, deprecated since v1.14, is no longer"
                                    + " supported"));
        }
    }

    /** PA-19. */
    private static void checkName(String name) throws Rejection {
        boolean dots = name.equals(".") || name.equals("..");
        if (dots || name.indexOf('%') >= 0) {
            throw new Rejection(
                    StatusErrors.badRequest(
                            "Name parameter invalid: "
                                    + GoString.quote(name)
                                    + (dots
                                            ? ": may not be '" + name + "'"
                                            : ": may not contain '%'")));
        }
    }
}
