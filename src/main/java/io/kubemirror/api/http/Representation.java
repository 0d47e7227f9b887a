package io.kubemirror.api.http;

import io.kubemirror.api.http.Accept.MediaRange;
import io.kubemirror.model.ResourceType;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The negotiated form of a response (list-watch.md#content-negotiation).
 *
 * @param framing the media type
 * @param shape the shape of the objects
 * @param clause the clause of {@code Accept} that was matched
 */
public record Representation(WatchFraming framing, ResponseShape shape, MediaRange clause) {

    /**
     * The media types that the API server's router knows. The router responds itself only if it
     * knows none of the accepted ones.
     */
    private static final List<String> ROUTED =
            List.of(
                    "application/json",
                    "application/yaml",
                    "application/vnd.kubernetes.protobuf",
                    "*/*");

    /** The media types and shapes that an endpoint supports, the default first. */
    public enum SupportedMediaTypes {
        /** One object. */
        OBJECT,
        /** A list of objects. */
        LIST,
        /** A watch. */
        WATCH,
        /** {@code /api} and {@code /apis}. */
        DISCOVERY,
        /** The other discovery documents. */
        DOCUMENT;

        /** Returns the media types. */
        List<WatchFraming> watchFramings() {
            return this == WATCH
                    ? List.of(WatchFraming.JSON_LINES, WatchFraming.SERVER_SENT_EVENTS)
                    : List.of(WatchFraming.JSON_LINES);
        }

        /** Returns the shapes that are always there. */
        List<ResponseShape> shapes() {
            return switch (this) {
                case OBJECT, LIST, WATCH ->
                        List.of(
                                ResponseShape.WHOLE,
                                ResponseShape.METADATA,
                                ResponseShape.METADATA_LIST);
                case DISCOVERY -> List.of(ResponseShape.WHOLE, ResponseShape.DISCOVERY);
                case DOCUMENT -> List.of(ResponseShape.WHOLE);
            };
        }

        /** Returns the media types for error messages (list-watch.md#errors). */
        String mediaTypes() {
            return watchFramings().stream()
                    .map(WatchFraming::contentType)
                    .collect(Collectors.joining(", "));
        }

        /**
         * Returns the media types as the API server's router lists them: including those of streams
         * (list-watch.md#errors).
         */
        String routedMediaTypes() {
            boolean streams = this == LIST || this == WATCH;
            return mediaTypes() + (streams ? ", application/json;stream=watch" : "");
        }
    }

    /**
     * Chooses the form that the client prefers (list-watch.md#ne-1 to #ne-11).
     *
     * @param accept the accepted media types
     * @param mediaTypes the supported media types
     * @param others further shapes
     * @param builtIn whether the path is not that of a custom resource (list-watch.md#ne-6)
     * @throws Rejection if no form is acceptable (list-watch.md#errors)
     */
    public static Representation choose(
            Accept accept,
            SupportedMediaTypes mediaTypes,
            Collection<ResponseShape> others,
            boolean builtIn)
            throws Rejection {
        return supported(accept, mediaTypes, others)
                .findFirst()
                .orElseThrow(() -> refusal(accept, mediaTypes, builtIn));
    }

    private static Stream<Representation> supported(
            Accept accept, SupportedMediaTypes mediaTypes, Collection<ResponseShape> others) {
        return accept.ranges().stream().flatMap(clause -> of(clause, mediaTypes, others).stream());
    }

    private static Rejection refusal(
            Accept accept, SupportedMediaTypes mediaTypes, boolean builtIn) {
        boolean routed = accept.first(clause -> ROUTED.contains(clause.name())).isPresent();
        return new Rejection(
                routed || !builtIn
                        ? StatusErrors.notAcceptable(mediaTypes.mediaTypes())
                        : StatusErrors.notRoutable(mediaTypes.routedMediaTypes()));
    }

    /**
     * Chooses the preferred form if only the metadata of objects is mirrored. A client that accepts
     * any type gets metadata. A client that names JSON expects complete objects and gets an error
     * rather than partial data.
     *
     * @throws Rejection if no form is acceptable
     */
    public static Representation chooseMetadata(
            Accept accept,
            SupportedMediaTypes mediaTypes,
            Collection<ResponseShape> others,
            ResourceType type)
            throws Rejection {
        return supported(accept, mediaTypes, others)
                .flatMap(chosen -> chosen.withoutContent(mediaTypes).stream())
                .findFirst()
                .orElseThrow(
                        () ->
                                Rejection.beyondMirror(
                                        StatusErrors.onlyMetadata(type, metadataOf(mediaTypes))));
    }

    /** Returns the version of the shape, such as {@code v1}. */
    public String version() {
        String version = clause.parameter("v");
        return version.isEmpty() ? "v1" : version;
    }

    /**
     * Returns whether the client does without {@code metadata.managedFields}, the only field of
     * {@code drop} that KEP-5958 defines (list-watch.md#ne-34).
     */
    public boolean dropsManagedFields() {
        return clause.parameters().containsKey("drop")
                && droppedFields(clause).contains("metadata.managedFields");
    }

    private static List<String> droppedFields(MediaRange clause) {
        return List.of(clause.parameter("drop").split("\\+", -1));
    }

    private static boolean isSupported(MediaRange clause) {
        List<String> dropped = droppedFields(clause);
        return clause.parameters().getOrDefault("stream", "watch").equals("watch")
                && dropped.stream().distinct().count() == dropped.size();
    }

    /** Whether a clause accepts plain JSON, the media type of errors. */
    static boolean isPlain(MediaRange clause) {
        return of(clause, SupportedMediaTypes.DOCUMENT, List.of()).isPresent();
    }

    private Optional<Representation> withoutContent(SupportedMediaTypes mediaTypes) {
        boolean any = clause.wildcards() > 0 || framing == WatchFraming.SERVER_SENT_EVENTS;
        return shape != ResponseShape.WHOLE
                ? Optional.of(this)
                : any
                        ? Optional.of(new Representation(framing, metadataOf(mediaTypes), clause))
                        : Optional.empty();
    }

    private static ResponseShape metadataOf(SupportedMediaTypes mediaTypes) {
        return mediaTypes == SupportedMediaTypes.LIST
                ? ResponseShape.METADATA_LIST
                : ResponseShape.METADATA;
    }

    private static Optional<Representation> of(
            MediaRange clause, SupportedMediaTypes mediaTypes, Collection<ResponseShape> others) {
        if (!isSupported(clause)) {
            return Optional.empty();
        }
        return mediaTypes.watchFramings().stream()
                .filter(framing -> clause.covers(framing.contentType()))
                .findFirst()
                .flatMap(
                        framing ->
                                Stream.concat(mediaTypes.shapes().stream(), others.stream())
                                        .filter(shape -> shape.isRequested(clause))
                                        .findFirst()
                                        .map(shape -> new Representation(framing, shape, clause)));
    }
}
