package io.kubemirror.api.read;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.RevisionParameter;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.GoString;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;

/** Resolves get requests to objects in a mirror (list-watch.md#gets). */
public final class GetResolver {

    private final MirrorDirectory directory;
    private final RevisionWait revisionWait;

    public GetResolver(MirrorDirectory directory, RevisionWait revisionWait) {
        this.directory = directory;
        this.revisionWait = revisionWait;
    }

    /**
     * An object and the revision of the state that contains it.
     *
     * @param object the object
     * @param revision the revision of the state
     */
    public record FoundObject(KubeObject object, Revision revision) {}

    /**
     * Finds the mirror that covers the object.
     *
     * @throws Rejection if the request is invalid or not covered by a mirror
     */
    public Mirror locate(MirroredResource resource, RequestPath.Item item, Query query)
            throws Rejection {
        checkExport(query);
        checkName(item.name());
        return resource.mirrorOf(item.namespace(), item.name());
    }

    /**
     * Reads an object.
     *
     * @throws Rejection if the object does not exist
     * @throws InterruptedException if the thread is interrupted while it waits for a revision
     */
    public FoundObject read(
            ResourceType type, RequestPath.Item item, Mirror mirror, Exchange exchange)
            throws Rejection, InterruptedException {
        String text = exchange.query().text("resourceVersion");
        if (!text.isEmpty()) {
            var revision = RevisionParameter.parse(text, mirror.revision());
            directory.stateOf(mirror);
            revisionWait.await(mirror, revision, exchange.allotted());
        }
        Snapshot state = directory.stateOf(mirror);
        return state.get(ObjectKey.of(item.namespace(), item.name()))
                .map(object -> new FoundObject(object, state.revision()))
                .orElseThrow(() -> new Rejection(StatusErrors.notFound(type, item.name())));
    }

    /**
     * Rejects the parameter {@code export}, which the API server no longer supports
     * (list-watch.md#de-6).
     */
    private static void checkExport(Query query) throws Rejection {
        if (query.isOn("export")) {
            throw new Rejection(
                    StatusErrors.badRequest(
                            "the export parameter, deprecated since v1.14, is no longer"
                                    + " supported"));
        }
    }

    /** Rejects names that are not valid path segments, such as {@code ..} (list-watch.md#pa-19). */
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
