package io.kubemirror.api;

import module java.base;

import io.kubemirror.api.encode.DocumentEncoder;
import io.kubemirror.api.encode.DocumentEncoder.ResponseForm;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Representation;
import io.kubemirror.api.http.Representation.SupportedMediaTypes;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.MirroredResource;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Scope.Extent;

/** Negotiates the forms of responses. */
final class ResponseForms {

    private final DocumentEncoder encoder;

    ResponseForms(DocumentEncoder encoder) {
        this.encoder = encoder;
    }

    /**
     * Returns whether the mirror has what the client prefers: a media type and a shape that
     * kubemirror writes as the API server does.
     */
    boolean areRendered(RequestPath.OfResource path, MirroredResource resource, Exchange exchange) {
        SupportedMediaTypes mediaTypes =
                path.isWatch(exchange.query())
                        ? SupportedMediaTypes.WATCH
                        : switch (path) {
                            case RequestPath.Item _ -> SupportedMediaTypes.OBJECT;
                            case RequestPath.Collection _ -> SupportedMediaTypes.LIST;
                        };
        try {
            Representation chosen = choose(resource, mediaTypes, exchange);
            return encoder.isNative(chosen.shape(), resource.type());
        } catch (Rejection unknown) {
            return false;
        }
    }

    /**
     * Returns the representation that a client prefers.
     *
     * @throws Rejection if it accepts none
     */
    Representation choose(
            MirroredResource resource, SupportedMediaTypes mediaTypes, Exchange exchange)
            throws Rejection {
        Representation chosen =
                Representation.choose(
                        exchange.parsed().accept(),
                        mediaTypes,
                        encoder.shapes(),
                        resource.type().builtIn());
        exchange.note().representation(chosen);
        return chosen;
    }

    /**
     * Returns the response form that the mirror can provide, which may be less than the client
     * chose.
     */
    ResponseForm present(
            MirroredResource resource,
            Mirror mirror,
            Representation chosen,
            SupportedMediaTypes mediaTypes,
            Exchange exchange)
            throws Rejection {
        Extent extent = mirror.scope().extent();
        Representation form =
                switch (extent) {
                    case WHOLE -> chosen;
                    case METADATA ->
                            Representation.chooseMetadata(
                                    exchange.parsed().accept(),
                                    mediaTypes,
                                    encoder.shapes(),
                                    resource.type());
                };
        exchange.note().representation(form);
        return new ResponseForm(
                resource.type(),
                extent,
                form,
                exchange.query(),
                exchange.parsed().isIndented(form.clause()));
    }
}
