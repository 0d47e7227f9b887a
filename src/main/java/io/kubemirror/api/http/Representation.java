package io.kubemirror.api.http;

import module java.base;

import io.kubemirror.api.http.Representation.Accept.MediaRange;
import io.kubemirror.model.ResourceType;

import org.jspecify.annotations.Nullable;

/**
 * The negotiated form of a response (list-watch.md#content-negotiation).
 *
 * @param framing the media type
 * @param shape the shape of the objects
 * @param clause the clause of {@code Accept} that was matched
 */
public record Representation(WatchFraming framing, ResponseShape shape, MediaRange clause) {

    private static final String PROTOBUF = "application/vnd.kubernetes.protobuf";

    /**
     * The media types that the API server's router knows. The router responds itself only if it
     * knows none of the accepted ones.
     */
    private static final List<String> ROUTED =
            List.of("application/json", "application/yaml", PROTOBUF, "*/*");

    /** The media types and shapes that an endpoint supports, the default first. */
    public enum SupportedMediaTypes {
        /** One object. */
        OBJECT,
        /** A list of objects. */
        LIST,
        /** A watch. */
        WATCH,
        /** A stream of several resources. */
        STREAM,
        /** {@code /api} and {@code /apis}. */
        DISCOVERY,
        /** The other discovery documents. */
        DOCUMENT;

        /** Returns the media types. */
        List<WatchFraming> watchFramings() {
            return switch (this) {
                case WATCH -> List.of(WatchFraming.JSON_LINES, WatchFraming.SERVER_SENT_EVENTS);
                case STREAM -> List.of(WatchFraming.SERVER_SENT_EVENTS);
                case OBJECT, LIST, DISCOVERY, DOCUMENT -> List.of(WatchFraming.JSON_LINES);
            };
        }

        /** Returns the shapes that are always there. */
        List<ResponseShape> shapes() {
            return switch (this) {
                case OBJECT, LIST, WATCH, STREAM ->
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
        for (MediaRange clause : accept.ranges()) {
            Optional<Representation> chosen = of(clause, mediaTypes, others);
            if (chosen.isPresent()) {
                return chosen.get();
            }
        }
        throw refusal(accept, mediaTypes, builtIn);
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
        return accept.ranges().stream()
                .flatMap(clause -> of(clause, mediaTypes, others).stream())
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
        for (WatchFraming framing : mediaTypes.watchFramings()) {
            if (clause.covers(framing.contentType())) {
                return requested(clause, mediaTypes.shapes())
                        .or(() -> requested(clause, others))
                        .map(shape -> new Representation(framing, shape, clause));
            }
        }
        return Optional.empty();
    }

    private static Optional<ResponseShape> requested(
            MediaRange clause, Collection<ResponseShape> shapes) {
        return shapes.stream().filter(shape -> shape.isRequested(clause)).findFirst();
    }

    /**
     * The shape of an object or a collection in a response (list-watch.md#content-negotiation,
     * {@code as}). Two shapes are the same only if they are the same instance.
     */
    public static final class ResponseShape {

        private static final String META = "meta.k8s.io";
        private static final Set<String> META_VERSIONS = Set.of("v1", "v1beta1");

        /** The complete object. */
        public static final ResponseShape WHOLE = new ResponseShape("", "", Set.of(""), "");

        /** All of discovery in one document (list-watch.md#di-6). */
        public static final ResponseShape DISCOVERY =
                new ResponseShape(
                        "APIGroupDiscoveryList", "apidiscovery.k8s.io", Set.of("v2"), "discovery");

        /** The metadata of an object (list-watch.md#ne-30). */
        public static final ResponseShape METADATA = ofMeta("PartialObjectMetadata", "metadata");

        /** The metadata of the objects of a list (list-watch.md#ne-30). */
        public static final ResponseShape METADATA_LIST =
                ofMeta("PartialObjectMetadataList", "metadata");

        private final String kind;
        private final String group;
        private final Set<String> versions;
        private final String label;

        private ResponseShape(String kind, String group, Set<String> versions, String label) {
            this.kind = kind;
            this.group = group;
            this.versions = versions;
            this.label = label;
        }

        /**
         * Creates a shape of the group {@code meta.k8s.io}.
         *
         * @param kind the kind that clients request
         * @param label the name of the shape in metrics
         */
        public static ResponseShape ofMeta(String kind, String label) {
            return new ResponseShape(kind, META, META_VERSIONS, label);
        }

        /** Returns the kind that clients request. */
        public String kind() {
            return kind;
        }

        /** Returns the name of the shape in metrics, empty for whole objects. */
        String label() {
            return label;
        }

        /**
         * Whether the parameters of a clause request this shape in a supported version
         * (list-watch.md#ne-11).
         */
        boolean isRequested(MediaRange clause) {
            return clause.parameter("as").equals(kind)
                    && clause.parameter("g").equals(group)
                    && versions.contains(clause.parameter("v"));
        }
    }

    /**
     * The media ranges of an {@code Accept} header in descending order of preference
     * (list-watch.md#ne-1, #ne-3).
     *
     * @param ranges the media ranges, at least one
     */
    public record Accept(List<MediaRange> ranges) {

        private static final String JSON = "application/json";

        private static final Comparator<MediaRange> PREFERENCE =
                Comparator.comparingDouble(MediaRange::quality)
                        .reversed()
                        .thenComparingInt(MediaRange::wildcards);

        /** Copies the list. */
        public Accept {
            ranges = List.copyOf(ranges);
        }

        /**
         * Parses a header.
         *
         * @param header the header, null or blank for a client that accepts any media type
         */
        static Accept parse(@Nullable String header) {
            String text = header == null || header.isBlank() ? "*/*" : header;
            return new Accept(
                    Arrays.stream(text.split(",", -1))
                            .map(MediaRange::parse)
                            .sorted(PREFERENCE)
                            .toList());
        }

        /**
         * Returns the media ranges of JSON as the value of a header, plain JSON if there are none.
         */
        public String json() {
            String json =
                    ranges.stream()
                            .filter(range -> range.name().equals(JSON))
                            .map(MediaRange::text)
                            .collect(Collectors.joining(","));
            return json.isEmpty() ? JSON : json;
        }

        /** Returns whether the client would rather have protobuf, which kubemirror has not. */
        public boolean prefersProtobuf() {
            return ranges.getFirst().name().equals(PROTOBUF);
        }

        /** Returns {@link #json} if the client accepts it, empty if it does not. */
        public Optional<String> asJson() {
            return first(range -> range.covers(JSON) && range.quality() > 0).map(_ -> json());
        }

        /** Returns the preferred media range among those that match. */
        Optional<MediaRange> first(Predicate<MediaRange> fits) {
            return ranges.stream().filter(fits).findFirst();
        }

        /**
         * One media range of an {@code Accept} header.
         *
         * @param text the range as it was sent
         * @param type the part before the slash
         * @param subtype the part after the slash
         * @param parameters all parameters except {@code q}
         * @param quality the preference, 1 by default and if malformed (list-watch.md#ne-3)
         */
        public record MediaRange(
                String text,
                String type,
                String subtype,
                Map<String, String> parameters,
                double quality) {

            public static MediaRange parse(String clause) {
                String[] parts = clause.split(";", -1);
                String[] types = parts[0].trim().split("/", 2);
                Map<String, String> parameters = new HashMap<>();
                for (int i = 1; i < parts.length; i++) {
                    String[] pair = parts[i].split("=", 2);
                    parameters.put(pair[0].trim(), pair.length == 2 ? pair[1].trim() : "");
                }
                double quality = parseQuality(parameters.remove("q"));
                return new MediaRange(
                        clause,
                        types[0],
                        types.length == 2 ? types[1] : types[0].equals("*") ? "*" : "",
                        Map.copyOf(parameters),
                        quality);
            }

            /**
             * Whether the range covers a media type. Names are case-sensitive (list-watch.md#ne-1).
             */
            boolean covers(String mediaType) {
                return wildcards() == 2
                        || mediaType.equals(name())
                        || (wildcards() == 1 && mediaType.startsWith(type + "/"));
            }

            /** Returns the media type, without parameters. */
            public String name() {
                return type + "/" + subtype;
            }

            /** Returns 0 for a media type, 1 for any subtype, 2 for any type. */
            int wildcards() {
                return type.equals("*") ? 2 : subtype.equals("*") ? 1 : 0;
            }

            /** Returns a parameter, empty if absent. */
            String parameter(String name) {
                return parameters.getOrDefault(name, "");
            }

            private static double parseQuality(@Nullable String text) {
                try {
                    return text == null ? 1 : Double.parseDouble(text);
                } catch (NumberFormatException malformed) {
                    return 1;
                }
            }
        }
    }
}
