package io.kubemirror.web;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.GoString;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;

import java.time.Duration;

/** Answers requests for one object (spec 4.6). */
final class Gets {

    private final MirrorDirectory directory;
    private final Freshness freshness;

    Gets(MirrorDirectory directory, Freshness freshness) {
        this.directory = directory;
        this.freshness = freshness;
    }

    /**
     * An object and where it was found.
     *
     * @param mirror the mirror that has it
     * @param object the object
     */
    record Found(Mirror mirror, KubeObject object) {}

    /**
     * Reads an object.
     *
     * @param allotted how long the request may take
     * @throws Rejection if there is none
     * @throws InterruptedException if the thread is interrupted while it waits for a revision
     */
    Found read(MirroredResource resource, RequestPath.Item item, Query query, Duration allotted)
            throws Rejection, InterruptedException {
        checkExport(query);
        checkName(item.name());
        Mirror mirror = resource.mirrorOf(item.namespace(), item.name());
        String text = query.text("resourceVersion");
        if (!text.isEmpty()) {
            var revision = RevisionParameter.parse(text, mirror.revision());
            directory.stateOf(mirror);
            freshness.await(mirror, revision, allotted);
        }
        ResourceType type = resource.type();
        return directory
                .stateOf(mirror)
                .get(ObjectKey.of(item.namespace(), item.name()))
                .map(object -> new Found(mirror, object))
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
