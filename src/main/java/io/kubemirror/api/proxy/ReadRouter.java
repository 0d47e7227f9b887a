package io.kubemirror.api.proxy;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.MirroredResource;
import io.kubemirror.api.read.ReadSource;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.mirror.Mirror;

import java.io.IOException;

/**
 * Routes gets and lists to the mirror or to the API server.
 *
 * @param proxyPolicy decides between the two
 * @param proxy forwards reads to the API server
 * @param staleness decides whether the mirror is fresh enough to answer
 */
public record ReadRouter(ProxyPolicy proxyPolicy, UpstreamProxy proxy, StalenessPolicy staleness) {

    /**
     * Routes a list. Returns true if the mirror answers it, false if the API server has already
     * answered it.
     *
     * @throws Rejection if neither of them can answer
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public boolean routedToMirror(CollectionRequest wanted, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        ReadSource source = proxyPolicy.source(wanted, exchange.allotted());
        if (source == ReadSource.SERVER) {
            proxy.answer(wanted, exchange);
            return false;
        }
        admit(source, wanted.mirror(), wanted.isForNewest(), exchange);
        return true;
    }

    /**
     * Routes a get. Returns true if the mirror answers it, false if the API server has already
     * answered it.
     *
     * @throws Rejection if neither of them can answer
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public boolean routedToMirror(
            MirroredResource resource, RequestPath.Item item, Mirror mirror, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        String revision = exchange.query().text("resourceVersion");
        ReadSource source = proxyPolicy.source(mirror, revision, exchange.allotted());
        if (source == ReadSource.SERVER) {
            proxy.answer(resource, item, mirror, exchange);
            return false;
        }
        admit(source, mirror, revision.isEmpty(), exchange);
        return true;
    }

    private void admit(ReadSource source, Mirror mirror, boolean newest, Exchange exchange)
            throws Rejection {
        if (source == ReadSource.VERIFIED_MIRROR) {
            staleness.verified(mirror, exchange);
        } else {
            staleness.admit(mirror, newest, exchange);
        }
    }
}
