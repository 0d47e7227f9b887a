package io.kubemirror.web;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.GoString;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;

/** Answers requests for one object (spec 4.6). */
final class Gets {

    private final MirrorDirectory directory;
    private final Freshness freshness;

    Gets(MirrorDirectory directory, Freshness freshness) {
        this.directory = directory;
        this.freshness = freshness;
    }

    /**
     * An object and the state that it was found in.
     *
     * @param object the object
     * @param revision what the state is true at
     */
    record Found(KubeObject object, Revision revision) {}

    /**
     * The mirror that would have the object.
     *
     * @throws Rejection if the request is none, or not of what is mirrored
     */
    Mirror locate(MirroredResource resource, RequestPath.Item item, Query query) throws Rejection {
        checkExport(query);
        checkName(item.name());
        return resource.mirrorOf(item.namespace(), item.name());
    }

    /**
     * Reads an object.
     *
     * @throws Rejection if there is none
     * @throws InterruptedException if the thread is interrupted while it waits for a revision
     */
    Found read(ResourceType type, RequestPath.Item item, Mirror mirror, Exchange exchange)
            throws Rejection, InterruptedException {
        String text = exchange.query().text("resourceVersion");
        if (!text.isEmpty()) {
            var revision = RevisionParameter.parse(text, mirror.revision());
            directory.stateOf(mirror);
            freshness.await(mirror, revision, exchange.allotted());
        }
        Snapshot state = directory.stateOf(mirror);
        return state.get(ObjectKey.of(item.namespace(), item.name()))
                .map(object -> new Found(object, state.revision()))
                .orElseThrow(() -> new Rejection(StatusErrors.notFound(type, item.name())));
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
