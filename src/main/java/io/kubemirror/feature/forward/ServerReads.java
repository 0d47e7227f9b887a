package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.Forwarder;
import io.kubemirror.api.read.MirroredResource;
import io.kubemirror.api.read.Plan;
import io.kubemirror.mirror.Mirror;

/**
 * Lets the API server answer reads: those that mirrors do not cover by pass-through, if it is
 * enabled, and those that a mirror cannot answer in time with the identity of kubemirror.
 */
final class ServerReads implements Forwarder {

    private final PassThrough passThrough;
    private final ProxiedRead proxy;

    ServerReads(PassThrough passThrough, ProxiedRead proxy) {
        this.passThrough = passThrough;
        this.proxy = proxy;
    }

    @Override
    public Optional<Plan.FromServer> passed() {
        return passThrough.hasEffects()
                ? Optional.of(new Plan.FromServer(PassThrough.CHARGE, passThrough::pass))
                : Optional.empty();
    }

    @Override
    public Plan.FromServer late(CollectionRequest wanted) {
        return new Plan.FromServer(PassThrough.CHARGE, exchange -> proxy.answer(wanted, exchange));
    }

    @Override
    public Plan.FromServer late(MirroredResource resource, RequestPath.Item item, Mirror mirror) {
        return new Plan.FromServer(
                PassThrough.CHARGE, exchange -> proxy.answer(resource, item, mirror, exchange));
    }
}
