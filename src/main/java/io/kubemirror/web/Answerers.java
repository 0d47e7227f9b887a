package io.kubemirror.web;

import io.kubemirror.mirror.Mirror;

import java.io.IOException;

/**
 * Those who may answer a get or a list: the mirror, if it is allowed to, or the API server.
 *
 * @param referrals decides between them
 * @param proxy lets the server answer
 * @param admission decides whether the mirror may
 */
record Answerers(Referrals referrals, Proxy proxy, Admission admission) {

    /**
     * Whether the mirror answers a list; otherwise the server has done so.
     *
     * @throws Rejection if neither of them can
     * @throws IOException if the client is gone
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    boolean isMirror(CollectionRequest wanted, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        Source source = referrals.source(wanted, exchange.allotted());
        if (source == Source.SERVER) {
            proxy.answer(wanted, exchange);
            return false;
        }
        admit(source, wanted.mirror(), wanted.isForNewest(), exchange);
        return true;
    }

    /**
     * Whether the mirror answers a get; otherwise the server has done so.
     *
     * @throws Rejection if neither of them can
     * @throws IOException if the client is gone
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    boolean isMirror(
            MirroredResource resource, RequestPath.Item item, Mirror mirror, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        String revision = exchange.query().text("resourceVersion");
        Source source = referrals.source(mirror, revision, exchange.allotted());
        if (source == Source.SERVER) {
            proxy.answer(resource, item, mirror, exchange);
            return false;
        }
        admit(source, mirror, revision.isEmpty(), exchange);
        return true;
    }

    private void admit(Source source, Mirror mirror, boolean newest, Exchange exchange)
            throws Rejection {
        if (source == Source.VERIFIED_MIRROR) {
            admission.verified(mirror, exchange);
        } else {
            admission.admit(mirror, newest, exchange);
        }
    }
}
