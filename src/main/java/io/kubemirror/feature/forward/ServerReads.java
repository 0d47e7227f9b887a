package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.api.encode.ResponseWriter;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.read.Plan;
import io.kubemirror.api.read.ReadPlanner.Forwarder;
import io.kubemirror.feature.forward.PassThrough.Services;
import io.kubemirror.feature.forward.PassedExchange.Answerer;
import io.kubemirror.kube.PassThroughClient.CredentialOwner;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;

import org.springframework.stereotype.Component;
import org.springframework.web.util.UriUtils;

/**
 * Lets the API server answer reads: those that mirrors do not cover by pass-through, if it is
 * enabled, and those that a mirror cannot answer in time with the credentials of kubemirror
 * (list-watch.md#fr-3).
 *
 * <p>Body, content type, and status code of the latter are those of the server, errors included.
 * Only JSON is requested, in the variants that the client accepts, as from the mirror.
 */
@Component
record ServerReads(PassThrough passThrough, Services services) implements Forwarder {

    @Override
    public Optional<Plan.FromServer> passed() {
        return passThrough.hasEffects()
                ? Optional.of(new Plan.FromServer(PassThrough.CHARGE, passThrough::pass))
                : Optional.empty();
    }

    /** An object may be outside of the selectors of its mirror by now (list-watch.md#ca-7). */
    @Override
    public Plan.FromServer late(
            Mirror mirror, ResourceType type, String namespace, String name, boolean exact)
            throws Rejection {
        boolean isOutside = !name.isEmpty() && !mirror.scope().selectors().isEmpty();
        if (isOutside || !services.sources().isDiscovered(type)) {
            throw new Rejection(Reply.OVERDUE);
        }
        return new Plan.FromServer(
                PassThrough.CHARGE,
                exchange ->
                        answer(
                                exchange,
                                target(
                                        type,
                                        namespace,
                                        name,
                                        parameters(exchange.query(), exact, mirror))));
    }

    private void answer(Exchange exchange, String target) throws Rejection, IOException {
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        boolean zipped = ResponseWriter.takesGzip(exchange.request());
        headers.put("Accept", List.of(exchange.parsed().accept().json()));
        headers.put("Accept-Encoding", List.of(zipped ? "gzip" : "identity"));
        headers.put("User-Agent", List.of(services.settings().userAgent()));
        exchange.note().passed();
        new PassedExchange(exchange, services, Answerer.PROXIED, false)
                .run(CredentialOwner.KUBEMIRROR, target, headers);
    }

    /**
     * Returns the parameters that the client sent, changed to request the most recent state unless
     * it wants the state at one revision, or one that nobody is known to have seen: the server then
     * waits for it, or answers that there is none (list-watch.md#li-20).
     */
    private Map<String, String> parameters(Query query, boolean exact, Mirror mirror)
            throws Rejection {
        Map<String, String> parameters = new HashMap<>(query.all());
        parameters.remove("watch");
        String revision = query.text("resourceVersion");
        Revision seen = Revision.later(mirror.revision(), services.floors().of(mirror));
        if (!exact && !ListOptions.revision(revision, mirror.revision()).isAfter(seen)) {
            parameters.remove("resourceVersion");
            parameters.remove("resourceVersionMatch");
        }
        if (revision.equals("0")) {
            // It is ignored with revision 0 (list-watch.md#li-3), but the forwarded request for the
            // most recent state would apply it.
            parameters.remove("limit");
        }
        return parameters;
    }

    /**
     * Returns path and query of a read.
     *
     * @param name the name of the object, empty for a list
     * @param parameters the decoded query
     * @throws IllegalArgumentException if the namespace or the name is not a plain path segment, by
     *     which a client would reach what is not mirrored (list-watch.md#pa-19)
     */
    static String target(
            ResourceType type, String namespace, String name, Map<String, String> parameters) {
        if (!ObjectKey.isSegment(namespace) || !ObjectKey.isSegment(name)) {
            throw new IllegalArgumentException("invalid name or namespace");
        }
        String query =
                new TreeMap<>(parameters)
                        .entrySet().stream()
                                .map(one -> escaped(one.getKey()) + "=" + escaped(one.getValue()))
                                .collect(Collectors.joining("&"));
        return type.collectionPath(escaped(namespace))
                + (name.isEmpty() ? "" : "/" + escaped(name))
                + (query.isEmpty() ? "" : "?" + query);
    }

    private static String escaped(String text) {
        return UriUtils.encode(text, StandardCharsets.UTF_8);
    }
}
