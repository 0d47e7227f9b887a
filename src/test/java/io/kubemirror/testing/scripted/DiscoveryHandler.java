package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.DiscoveryEndpoints;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.testing.MirrorSets;
import io.kubemirror.testing.Mirrors;

/**
 * Answers discovery, aggregated and plain (list-watch.md#di-1 to #di-8), with the documents of a
 * kubemirror, which the parity suite compares with those of a server.
 */
final class DiscoveryHandler {

    private static final String AGGREGATED =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

    private static final String READ = "[\"get\",\"list\",\"watch\"]";
    private static final String READ_AND_WRITE =
            "[\"create\",\"delete\",\"get\",\"list\",\"patch\",\"update\",\"watch\"]";

    private final ResourceStore store;

    DiscoveryHandler(ResourceStore store) {
        this.store = store;
    }

    void discover(ReceivedRequest request, ScriptedResponse answer) throws IOException {
        if (!(RequestPath.parse(Optional.of(request.path()))
                instanceof RequestPath.Discovery path)) {
            throw StatusException.noRoute();
        }
        boolean root = path instanceof RequestPath.Versions || path instanceof RequestPath.Groups;
        boolean aggregated = root && isAggregated(request.header("Accept"));
        answer.send(
                200,
                aggregated ? AGGREGATED : "application/json",
                document(path, aggregated).replace(READ, READ_AND_WRITE) + "\n");
    }

    /** What a kubemirror of the server would say. */
    private String document(RequestPath.Discovery path, boolean aggregated) {
        List<Mirror> mirrors = store.types().stream().map(DiscoveryHandler::mirror).toList();
        MirrorDirectory directory =
                new MirrorDirectory(MirrorSets.of(mirrors), () -> 0, () -> true);
        return new DiscoveryEndpoints(directory)
                .document(path, aggregated, "")
                .orElseThrow(StatusException::noRoute)
                .toString();
    }

    private static Mirror mirror(ResourceType type) {
        Mirror mirror = Mirrors.of(type.groupResource());
        Mirrors.writer(mirror, System::nanoTime).identify(type, DeclaredFields.NONE);
        return mirror;
    }

    private static boolean isAggregated(String accept) {
        return accept.contains("g=apidiscovery.k8s.io")
                && accept.contains("as=APIGroupDiscoveryList")
                && accept.matches(".*v=v2(;.*|,.*|$)");
    }
}
