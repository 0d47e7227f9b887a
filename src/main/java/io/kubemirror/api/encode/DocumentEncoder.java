package io.kubemirror.api.encode;

import module java.base;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Representation;
import io.kubemirror.api.http.Representation.ResponseShape;
import io.kubemirror.api.http.Representation.SupportedMediaTypes;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;

/**
 * Encodes objects and lists in the format that the client has negotiated (list-watch.md#tables),
 * and creates their entity tags.
 *
 * <p>The tag of an object is derived from its bytes. The tag of a list is derived from everything
 * that determines its bytes: the format, the selection, the page, and the revision of the mirror. A
 * client that polls therefore costs neither the transfer nor the encoding. A revision identifies a
 * state only within one history of one mirror of one process, so all are part of the tag. The tag
 * of a {@link Rendering} is not sent: it identifies the bytes for a second.
 */
public final class DocumentEncoder {

    private static final byte[] NOTHING = {};

    /** One for all watches of a type, for as long as the type is known. */
    private static final LoadingCache<ResourceType, ObjectEncoder> TYPE_METAS =
            Caffeine.newBuilder().weakKeys().build(ObjectEncoder.TypeMeta::new);

    private final String process;
    private final Map<ResponseShape, Rendering> renderings;
    private final InstantSource clock;
    private final SharedBodies bodies;

    /**
     * Creates an encoder.
     *
     * @param process distinguishes this process from others in entity tags
     * @param renderings the shapes besides whole objects and metadata
     * @param bodies what clients share
     */
    public DocumentEncoder(
            String process, List<Rendering> renderings, InstantSource clock, SharedBodies bodies) {
        this.process = process;
        this.renderings =
                renderings.stream().collect(Collectors.toMap(Rendering::shape, one -> one));
        this.clock = clock;
        this.bodies = bodies;
    }

    /**
     * Returns whether the mirror has what the client prefers: a media type and a shape that
     * kubemirror writes as the API server does.
     */
    public boolean isRendered(ResourceType type, Exchange exchange) {
        try {
            Rendering rendering = rendering(choose(type, exchange));
            return rendering == null || rendering.isNative(type);
        } catch (Rejection unknown) {
            return false;
        }
    }

    /**
     * Returns the form that a client prefers.
     *
     * @throws Rejection if it accepts none
     */
    public ResponseForm choose(ResourceType type, Exchange exchange) throws Rejection {
        return form(
                type,
                Extent.WHOLE,
                Representation.choose(
                        exchange.parsed().accept(),
                        mediaTypes(exchange),
                        renderings.keySet(),
                        type.builtIn()),
                exchange);
    }

    /**
     * Returns the form that a mirror can provide, which may be less than the client chose.
     *
     * @throws Rejection if the client accepts no less
     */
    public ResponseForm present(ResponseForm chosen, Mirror mirror, Exchange exchange)
            throws Rejection {
        return switch (mirror.scope().extent()) {
            case WHOLE -> chosen;
            case METADATA ->
                    form(
                            chosen.type(),
                            Extent.METADATA,
                            Representation.chooseMetadata(
                                    exchange.parsed().accept(),
                                    mediaTypes(exchange),
                                    renderings.keySet(),
                                    chosen.type()),
                            exchange);
        };
    }

    private static ResponseForm form(
            ResourceType type, Extent extent, Representation form, Exchange exchange) {
        exchange.note().representation(form);
        return new ResponseForm(
                type,
                extent,
                form,
                exchange.query(),
                exchange.parsed().isIndented(form.clause()),
                form.shape() == ResponseShape.METADATA_LIST
                        && exchange.parsed().accept().prefersProtobuf());
    }

    private static SupportedMediaTypes mediaTypes(Exchange exchange) {
        return switch (exchange.parsed().requestPath()) {
            case RequestPath.OfResource path when path.isWatch(exchange.query()) ->
                    SupportedMediaTypes.WATCH;
            case RequestPath.Item _ -> SupportedMediaTypes.OBJECT;
            case RequestPath.Collection _ -> SupportedMediaTypes.LIST;
            default -> SupportedMediaTypes.STREAM;
        };
    }

    private @Nullable Rendering rendering(ResponseForm wanted) {
        return renderings.get(wanted.form().shape());
    }

    /**
     * Returns the current history of a mirror. Call this before reading the state of a response, so
     * that a state never gets the tag of a later history.
     */
    public static long history(Mirror mirror) {
        return mirror.position().map(position -> position.cursor().era()).orElse(-1L);
    }

    private EntityTag tag(
            ResponseForm shown, CollectionRequest wanted, long history, ListPage page) {
        Selection selection = wanted.selection();
        ListOptions options = wanted.options();
        boolean rendered = rendering(shown) != null;
        String second = Long.toString(clock.instant().getEpochSecond());
        EntityTag tag =
                EntityTag.of(
                        NOTHING,
                        process,
                        Long.toString(history),
                        wanted.mirror().scope().toString(),
                        shown.tag(),
                        rendered ? shown.query().text("includeObject") + " at " + second : "",
                        selection.namespace(),
                        selection.labels().text(),
                        selection.fields().text(),
                        selection.shard().text(),
                        options.token(),
                        wanted.arrangementText(),
                        Long.toString(page.next() == null ? 0 : options.limit()),
                        page.revision().digits(),
                        Integer.toString(page.revision().part()));
        return rendered ? tag.unsent() : tag;
    }

    /**
     * Sends one object.
     *
     * @throws Rejection if the client requests a list (list-watch.md#ne-31), or a parameter of its
     *     shape is invalid
     * @throws IOException if the client has disconnected
     */
    public void send(ResponseForm shown, KubeObject object, Exchange exchange)
            throws Rejection, IOException {
        EntityTag tag = rendering(shown) == null ? EntityTag.of(object.json(), shown.tag()) : null;
        ResponseWriter.send(object(shown, object), shown.indented(), tag, exchange, bodies);
    }

    private JsonDocument object(ResponseForm wanted, KubeObject object) throws Rejection {
        if (wanted.form().shape() == ResponseShape.METADATA_LIST) {
            throw new Rejection(
                    StatusErrors.otherNumber(
                            ResponseShape.METADATA_LIST, false, goType(wanted.type(), "")));
        }
        Rendering rendering = rendering(wanted);
        return rendering == null
                ? JsonDocument.of(object, objects(wanted))
                : rendering.object(wanted, object);
    }

    /**
     * Sends a list.
     *
     * @param history the history of the mirror before the list was read
     * @throws Rejection if the client requests a single object (list-watch.md#ne-31), or a
     *     parameter of its shape is invalid
     * @throws IOException if the client has disconnected
     */
    public void send(
            ResponseForm shown,
            CollectionRequest wanted,
            long history,
            ListPage page,
            Exchange exchange)
            throws Rejection, IOException {
        EntityTag tag = tag(shown, wanted, history, page);
        ResponseWriter.send(list(shown, page), shown.indented(), tag, exchange, bodies);
    }

    private JsonDocument list(ResponseForm wanted, ListPage page) throws Rejection {
        ResourceType type = wanted.type();
        ResponseShape shape = wanted.form().shape();
        Rendering rendering = rendering(wanted);
        if (rendering != null) {
            return rendering.list(wanted, page);
        }
        if (shape == ResponseShape.METADATA) {
            throw new Rejection(StatusErrors.otherNumber(shape, true, goType(type, "List")));
        }
        return shape == ResponseShape.METADATA_LIST
                ? JsonDocument.metadataList(wanted.form().version(), page, metadataItems(wanted))
                : JsonDocument.list(type, page, dropped(wanted, ObjectEncoder.items(type)));
    }

    /**
     * Returns an encoder of the events of one watch.
     *
     * @throws Rejection if a parameter of the shape is invalid
     */
    public FrameEncoder frames(ResponseForm wanted) throws Rejection {
        return new FrameEncoder(objects(wanted), wanted.form(), bodies);
    }

    /**
     * Returns an encoder for single objects, for use by one response or one watch.
     *
     * @throws Rejection if a parameter of the shape is invalid
     */
    private ObjectEncoder objects(ResponseForm wanted) throws Rejection {
        Rendering rendering = rendering(wanted);
        if (rendering != null) {
            return rendering.objects(wanted);
        }
        return wanted.form().shape() == ResponseShape.WHOLE ? whole(wanted) : metadata(wanted);
    }

    /** Returns an encoder of whole objects. */
    public static ObjectEncoder whole(ResponseForm wanted) {
        return dropped(wanted, TYPE_METAS.get(wanted.type()));
    }

    /** Returns an encoder of the metadata of objects. */
    public static ObjectEncoder metadata(ResponseForm wanted) {
        return dropped(wanted, new ObjectEncoder.MetadataEncoder(wanted.form().version()));
    }

    /**
     * Returns an encoder of the items of a list of metadata. A client of Go reads kind and API
     * version of an item from JSON, but not from the protobuf that it prefers
     * (list-watch.md#ne-30).
     */
    private static ObjectEncoder metadataItems(ResponseForm wanted) {
        return wanted.untypedItems()
                ? dropped(wanted, ObjectEncoder.MetadataEncoder.untyped())
                : metadata(wanted);
    }

    /** Returns an encoder without what the client does without (list-watch.md#ne-34). */
    private static ObjectEncoder dropped(ResponseForm wanted, ObjectEncoder objects) {
        return wanted.form().dropsManagedFields()
                ? new ObjectEncoder.WithoutManagedFields(objects)
                : objects;
    }

    /** Returns the name of the internal Go type in the API server. */
    private static String goType(ResourceType type, String suffix) {
        boolean core = type.group().isEmpty() || type.kind().equals("Event");
        String group = core ? "core" : type.group().replaceFirst("\\..*", "");
        return "*"
                + (type.builtIn() ? group + "." + type.kind() : "unstructured.Unstructured")
                + suffix;
    }

    /**
     * The form of a response and the type of its objects.
     *
     * @param type the type of the objects
     * @param extent how much of each object is mirrored
     * @param form the negotiated form
     * @param query the parameters, of which a {@link Rendering} may have its own
     * @param indented whether documents are indented (list-watch.md#ne-12)
     * @param untypedItems whether items of a list of metadata are without kind and API version
     */
    public record ResponseForm(
            ResourceType type,
            Extent extent,
            Representation form,
            Query query,
            boolean indented,
            boolean untypedItems) {

        /** Returns everything about the form that affects the bytes of a document. */
        String tag() {
            return String.join(
                    "/",
                    type.apiVersion(),
                    type.kind(),
                    extent.name(),
                    form.shape().kind(),
                    form.version(),
                    form.dropsManagedFields() ? "dropped" : "",
                    untypedItems ? "untyped" : "",
                    indented ? "indented" : "compact");
        }
    }

    /**
     * A shape of answers besides whole objects and metadata, which clients ask for by the parameter
     * {@code as} of a media type. The API finds all beans of this type. An answer may depend on the
     * time, so its tag identifies the bytes for a second and is not sent.
     */
    public interface Rendering {

        /** Returns what clients ask for. */
        ResponseShape shape();

        /** Returns whether the shape of a type is that of the API server. */
        boolean isNative(ResourceType type);

        /** Returns the document of a list. */
        JsonDocument list(ResponseForm wanted, ListPage page) throws Rejection;

        /** Returns the document of one object, which has the same bytes each time it is written. */
        JsonDocument object(ResponseForm wanted, KubeObject object) throws Rejection;

        /** Returns an encoder of the objects of one watch. */
        ObjectEncoder objects(ResponseForm wanted) throws Rejection;
    }

    /**
     * An HTTP entity tag, which identifies the exact bytes of a response, so that a client can
     * state that it already has them.
     *
     * <p>The compressed form of a response has its own tag.
     *
     * @param text the tag without quotes
     * @param sent whether clients learn the tag; others only tell equal responses of a moment
     */
    public record EntityTag(String text, boolean sent) {

        private static final Pattern TAGS = Pattern.compile("(?:W/)?(\"[^\"]*\")|\\*");
        private static final String ANYTHING = "*";

        /** Returns a tag derived from bytes and texts. Equal inputs yield equal tags. */
        static EntityTag of(byte[] bytes, String... texts) {
            try {
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                for (String text : texts) {
                    byte[] part = text.getBytes(StandardCharsets.UTF_8);
                    digest.update((part.length + ":").getBytes(StandardCharsets.US_ASCII));
                    digest.update(part);
                }
                byte[] hash = digest.digest(bytes);
                return new EntityTag(
                        Base64.getUrlEncoder().withoutPadding().encodeToString(hash), true);
            } catch (NoSuchAlgorithmException impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        /** Returns the same tag as one that clients do not learn. */
        EntityTag unsent() {
            return new EntityTag(text, false);
        }

        /** Returns the header value for the compressed or the uncompressed response. */
        String header(boolean compressed) {
            return "\"" + text + (compressed ? "-gzip\"" : "\"");
        }

        /**
         * Returns the header value of the form that the client already has, empty if it has none.
         *
         * @param conditions the values of {@code If-None-Match}
         * @param compressible whether the client may also use the compressed form
         * @return the header value of that form
         */
        Optional<String> known(List<String> conditions, boolean compressible) {
            if (!sent) {
                return Optional.empty();
            }
            Set<String> known =
                    conditions.stream()
                            .flatMap(condition -> TAGS.matcher(condition).results())
                            .map(EntityTag::tag)
                            .collect(Collectors.toSet());
            return Stream.of(header(compressible), header(false))
                    .filter(known::contains)
                    .findFirst()
                    .or(
                            () ->
                                    known.contains(ANYTHING)
                                            ? Optional.of(header(false))
                                            : Optional.empty());
        }

        private static String tag(MatchResult result) {
            String quoted = result.group(1);
            return quoted == null ? ANYTHING : quoted;
        }
    }
}
