package io.kubemirror.api.encode;

import module java.base;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Representation;
import io.kubemirror.api.http.Representation.ResponseShape;
import io.kubemirror.api.http.Representation.SupportedMediaTypes;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.Selection;

/**
 * Encodes objects and lists in the format that the client has negotiated (list-watch.md#tables),
 * and creates their entity tags.
 *
 * <p>The tag of an object is derived from its bytes. The tag of a list is derived from everything
 * that determines its bytes: the format, the selection, the page, and the revision of the mirror. A
 * client that polls therefore costs neither the transfer nor the encoding. A revision identifies a
 * state only within one history of one mirror of one process, so all are part of the tag.
 */
public final class DocumentEncoder {

    private static final byte[] NOTHING = {};

    private final String process;
    private final Map<ResponseShape, Rendering> more;
    private final SharedBodies bodies;

    /**
     * Creates an encoder.
     *
     * @param process distinguishes this process from others in entity tags
     * @param more the shapes besides whole objects and metadata
     * @param bodies what clients share
     */
    public DocumentEncoder(String process, List<Rendering> more, SharedBodies bodies) {
        this.process = process;
        this.more = more.stream().collect(Collectors.toMap(Rendering::shape, one -> one));
        this.bodies = bodies;
    }

    /**
     * Returns whether the mirror has what the client prefers: a media type and a shape that
     * kubemirror writes as the API server does.
     */
    public boolean isRendered(ResourceType type, Exchange exchange) {
        try {
            return rendering(choose(type, exchange)).isNative(type);
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
                        more.keySet(),
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
                                    more.keySet(),
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

    private Rendering rendering(ResponseForm wanted) {
        ResponseShape shape = wanted.form().shape();
        return more.getOrDefault(shape, new Rendering.Plain(shape));
    }

    /**
     * Returns the current history of a mirror. Call this before reading the state of a response, so
     * that a state never gets the tag of a later history.
     */
    public static long history(Mirror mirror) {
        return mirror.position().map(position -> position.cursor().era()).orElse(-1L);
    }

    private String tag(
            ResponseForm shown,
            CollectionRequest wanted,
            String kind,
            long history,
            ListPage page) {
        Selection selection = wanted.selection();
        ListOptions options = wanted.options();
        return tag(
                NOTHING,
                process,
                Long.toString(history),
                wanted.mirror().scope().toString(),
                shown.tag(),
                kind,
                selection.namespace(),
                selection.labels().text(),
                selection.fields().text(),
                selection.shard().text(),
                options.token(),
                wanted.arrangementText(),
                Long.toString(page.next() == null ? 0 : options.limit()),
                page.revision().digits(),
                Integer.toString(page.revision().part()));
    }

    /** Returns a tag derived from bytes and texts. Equal inputs yield equal tags. */
    static String tag(byte[] bytes, String... texts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (String text : texts) {
                byte[] part = text.getBytes(StandardCharsets.UTF_8);
                digest.update((part.length + ":").getBytes(StandardCharsets.US_ASCII));
                digest.update(part);
            }
            return Base64.getUrlEncoder().withoutPadding().encodeToString(digest.digest(bytes));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
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
        Rendering rendering = rendering(shown);
        String tag = rendering.isTimed() ? null : tag(object.json(), shown.tag());
        JsonDocument document = rendering.object(shown, object);
        ResponseWriter.send(document, shown.indented(), tag, exchange, bodies);
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
        String kind = wanted.mirror().declaredFields().listKind(shown.type());
        Rendering rendering = rendering(shown);
        String tag = rendering.isTimed() ? null : tag(shown, wanted, kind, history, page);
        JsonDocument document = rendering.list(shown, kind, page);
        ResponseWriter.send(document, shown.indented(), tag, exchange, bodies);
    }

    /**
     * Returns an encoder of the events of one watch.
     *
     * @throws Rejection if a parameter of the shape is invalid
     */
    public FrameEncoder frames(ResponseForm wanted) throws Rejection {
        return new FrameEncoder(rendering(wanted).objects(wanted), wanted.form(), bodies);
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

        /** Returns an encoder of whole objects. */
        public ObjectEncoder whole() {
            return dropped(new ObjectEncoder.TypeMeta(type));
        }

        /** Returns an encoder of the metadata of objects. */
        public ObjectEncoder metadata() {
            return dropped(new ObjectEncoder.MetadataEncoder(form.version()));
        }

        /**
         * Returns an encoder of the items of a list. A client of Go reads kind and API version of
         * an item of metadata from JSON, but not from the protobuf that it prefers
         * (list-watch.md#ne-30).
         */
        ObjectEncoder items() {
            if (form.shape() == ResponseShape.WHOLE) {
                return dropped(ObjectEncoder.items(type));
            }
            return untypedItems ? dropped(ObjectEncoder.MetadataEncoder.untyped()) : metadata();
        }

        /** Returns an encoder without what the client does without (list-watch.md#ne-34). */
        private ObjectEncoder dropped(ObjectEncoder objects) {
            return form.dropsManagedFields()
                    ? new ObjectEncoder.WithoutManagedFields(objects)
                    : objects;
        }

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
}
