package io.kubemirror.api.read;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.Representation;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.ResponseShape;
import io.kubemirror.api.http.SupportedMediaTypes;
import io.kubemirror.model.ResourceType;

import jakarta.servlet.http.HttpServletRequest;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * Serves discovery requests (list-watch.md#discovery).
 *
 * <p>Types that are not resolved yet are missing in the documents. A response header says so,
 * because another kubemirror that mirrors this one would otherwise conclude that the types do not
 * exist. An error is no option, because clients cannot do anything without a document
 * (list-watch.md#di-15).
 */
public final class DiscoveryReads {

    private static final String AGGREGATED =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

    private final DiscoveryDocuments discovery;

    public DiscoveryReads(DiscoveryDocuments discovery) {
        this.discovery = discovery;
    }

    /**
     * Serves {@code /api}.
     *
     * @throws Rejection if the client accepts no available media type
     */
    public Reply versions(Exchange exchange) throws Rejection {
        HttpServletRequest request = exchange.request();
        return root(
                exchange,
                true,
                () -> discovery.versions(request.getLocalAddr() + ":" + request.getLocalPort()));
    }

    /**
     * Serves {@code /apis}.
     *
     * @throws Rejection if the client accepts no available media type
     */
    public Reply groups(Exchange exchange) throws Rejection {
        return root(exchange, false, discovery::groups);
    }

    /**
     * Serves {@code /apis/<group>}.
     *
     * @throws Rejection if no type of the group is mirrored, or the client does not accept JSON
     */
    public Reply group(RequestPath.Group path, Exchange exchange) throws Rejection {
        return document(path.group(), discovery.group(path.group()), exchange);
    }

    /**
     * Serves {@code /api/v1} and {@code /apis/<group>/<version>}.
     *
     * @throws Rejection if no type of the version is mirrored, or the client does not accept JSON
     */
    public Reply resources(RequestPath.Resources path, Exchange exchange) throws Rejection {
        return document(path.group(), discovery.resources(path.group(), path.version()), exchange);
    }

    private Reply root(Exchange exchange, boolean core, Supplier<byte[]> plain) throws Rejection {
        exchange.requireGet();
        describe(exchange);
        Representation chosen =
                Representation.choose(exchange.accept(), SupportedMediaTypes.DISCOVERY, true);
        Reply reply =
                chosen.shape() == ResponseShape.DISCOVERY
                        ? Reply.json(AGGREGATED, discovery.aggregated(core))
                        : Reply.json(plain.get());
        return formatted(reply, chosen, exchange);
    }

    private void describe(Exchange exchange) {
        if (!discovery.isComplete()) {
            exchange.response().setHeader(StalenessPolicy.STATE, StalenessPolicy.INITIALIZING);
        }
    }

    private Reply document(String group, Optional<byte[]> document, Exchange exchange)
            throws Rejection {
        describe(exchange);
        Reply reply = document.map(Reply::json).orElseThrow(() -> Rejection.absent(group));
        exchange.requireGet();
        Representation chosen =
                Representation.choose(
                        exchange.accept(),
                        SupportedMediaTypes.DOCUMENT,
                        ResourceType.isBuiltIn(group));
        return formatted(reply, chosen, exchange);
    }

    private static Reply formatted(Reply reply, Representation chosen, Exchange exchange) {
        return exchange.isIndented(chosen.clause()) ? reply.indented() : reply;
    }
}
