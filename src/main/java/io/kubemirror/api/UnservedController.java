package io.kubemirror.api;

import module java.base;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.MirrorDirectory;

import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Refuses what neither the mirrors nor a feature serve. */
@RestController
final class UnservedController {

    private final MirrorDirectory directory;

    UnservedController(MirrorDirectory directory) {
        this.directory = directory;
    }

    /**
     * Refuses subresources, which are not served. The response never says that the object is not
     * found, not even where the API server does, because a controller would assume that the object
     * is deleted.
     */
    @RequestMapping({
        "/api/{version}/{resource}/{name}/{subresource}",
        "/api/{version}/namespaces/{namespace}/{resource}/{name}/{subresource}",
        "/apis/{group}/{version}/{resource}/{name}/{subresource}",
        "/apis/{group}/{version}/namespaces/{namespace}/{resource}/{name}/{subresource}"
    })
    void subresource(RequestPath.Part path, Exchange exchange) throws Rejection {
        directory.find(path.resource(), !path.namespace().isEmpty(), true);
        throw new Rejection(
                path.isKnown()
                        ? StatusErrors.notPassedOn("serves no subresources")
                        : StatusErrors.noSuchResource());
    }

    /** Refuses any other path. */
    @RequestMapping("/**")
    void other(RequestPath path, Exchange exchange) throws Rejection, IOException {
        if (path instanceof RequestPath.Unserved(var group)) {
            throw Rejection.absent(group);
        }
        if (path instanceof RequestPath.VersionPath) {
            exchange.requireGet();
        }
        Reply.NOT_A_PAGE.send(exchange.response());
    }
}
