package io.kubemirror.web;

import io.kubemirror.model.ResourceType;

import java.util.List;
import java.util.Optional;

/**
 * The form in which a client is answered (spec 2.1).
 *
 * @param wire the media type
 * @param shape what is shown of the objects
 * @param clause the clause of {@code Accept} that asked for it
 */
record Representation(Wire wire, Shape shape, MediaRange clause) {

    /** What the API server's router knows; only where it knows nothing does it answer itself. */
    private static final List<String> ROUTED =
            List.of(
                    "application/json",
                    "application/yaml",
                    "application/vnd.kubernetes.protobuf",
                    "*/*");

    /**
     * Chooses what the client wants most (NE-1 to NE-11).
     *
     * @param accept what it accepts
     * @param offer what can be had
     * @param builtIn whether the path is none of a custom resource (NE-6)
     * @throws Rejection if the client wants none of it (E-406, E-406R)
     */
    static Representation choose(Accept accept, Offer offer, boolean builtIn) throws Rejection {
        Optional<Representation> chosen =
                accept.ranges().stream().flatMap(clause -> of(clause, offer).stream()).findFirst();
        if (chosen.isPresent()) {
            return chosen.get();
        }
        boolean routed = accept.first(clause -> ROUTED.contains(clause.name())).isPresent();
        throw new Rejection(
                routed || !builtIn
                        ? StatusErrors.notAcceptable(offer.mediaTypes())
                        : StatusErrors.notRoutable(offer.routedMediaTypes()));
    }

    /**
     * Chooses what the client wants most of objects of which only the metadata is known. A client
     * that takes anything takes that too; one that names JSON means whole objects and is refused
     * rather than deceived.
     *
     * @throws Rejection if the client wants none of it
     */
    static Representation chooseMetadata(Accept accept, Offer offer, ResourceType type)
            throws Rejection {
        return accept.ranges().stream()
                .flatMap(clause -> of(clause, offer).stream())
                .flatMap(chosen -> chosen.withoutContent(offer).stream())
                .findFirst()
                .orElseThrow(
                        () -> new Rejection(StatusErrors.onlyMetadata(type, metadataOf(offer))));
    }

    /** The version of the shape, such as {@code v1}. */
    String version() {
        String version = clause.parameter("v");
        return version.isEmpty() ? "v1" : version;
    }

    /** Whether a clause takes plain JSON, which is what errors are sent as. */
    static boolean isPlain(MediaRange clause) {
        return of(clause, Offer.DOCUMENT).isPresent();
    }

    private Optional<Representation> withoutContent(Offer offer) {
        boolean any = clause.wildcards() > 0 || wire == Wire.SERVER_SENT_EVENTS;
        return shape != Shape.WHOLE
                ? Optional.of(this)
                : any
                        ? Optional.of(new Representation(wire, metadataOf(offer), clause))
                        : Optional.empty();
    }

    private static Shape metadataOf(Offer offer) {
        return offer == Offer.LIST ? Shape.METADATA_LIST : Shape.METADATA;
    }

    private static Optional<Representation> of(MediaRange clause, Offer offer) {
        if (!clause.parameters().getOrDefault("stream", "watch").equals("watch")) {
            return Optional.empty();
        }
        return offer.wires().stream()
                .filter(wire -> clause.covers(wire.contentType()))
                .findFirst()
                .flatMap(
                        wire ->
                                offer.shapes().stream()
                                        .filter(shape -> shape.isAskedFor(clause))
                                        .findFirst()
                                        .map(shape -> new Representation(wire, shape, clause)));
    }
}
