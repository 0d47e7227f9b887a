package io.kubemirror.api.encode;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;

import io.kubemirror.api.http.GoJson;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Representation;
import io.kubemirror.api.http.Representation.ResponseShape;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.feature.table.TableFormat;
import io.kubemirror.feature.table.TableFormats;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Extent;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;

import java.time.InstantSource;

/**
 * Encodes objects and lists in the format that the client has negotiated (list-watch.md#tables),
 * and creates their entity tags.
 *
 * <p>The tag of an object is derived from its bytes. The tag of a list is derived from everything
 * that determines its bytes: the format, the selection, the page, and the revision of the mirror. A
 * client that polls therefore costs neither the transfer nor the encoding. A revision identifies a
 * state only within one history of one process, so both are part of the tag. The tag of a table is
 * not sent, because it contains ages: it identifies the bytes for a second.
 *
 * @param process distinguishes this process from others in entity tags
 * @param customTableFormats the table formats of custom resources
 * @param clock the clock from which ages are computed
 */
public record DocumentEncoder(
        String process, CustomTableFormats customTableFormats, InstantSource clock) {

    private static final byte[] NOTHING = {};

    /** One for all watches of a type, for as long as the type is known. */
    private static final LoadingCache<ResourceType, ObjectEncoder> TYPE_METAS =
            Caffeine.newBuilder().weakKeys().build(ObjectEncoder.TypeMeta::new);

    /** Returns the tag of an object, null for none. */
    public @Nullable EntityTag tag(ResponseForm shown, KubeObject object) {
        return shown.isTable() ? null : EntityTag.of(object.json(), shown.tag());
    }

    /**
     * Returns the current history of a mirror. Call this before reading the state of a response, so
     * that a state never gets the tag of a later history.
     */
    public static long history(Mirror mirror) {
        return mirror.position().map(position -> position.cursor().era()).orElse(-1L);
    }

    /**
     * Returns the tag of a list.
     *
     * @param history the history of the mirror before the list was read
     */
    public EntityTag tag(
            ResponseForm shown, CollectionRequest wanted, long history, ListPage page) {
        Selection selection = wanted.selection();
        ListOptions.PagingOptions paging = wanted.options().paging();
        String second = Long.toString(clock.instant().getEpochSecond());
        EntityTag tag =
                EntityTag.of(
                        NOTHING,
                        process,
                        Long.toString(history),
                        wanted.mirror().scope().toString(),
                        shown.tag(),
                        shown.isTable() ? shown.includeObject() + " at " + second : "",
                        selection.namespace(),
                        selection.labels().text(),
                        selection.fields().text(),
                        selection.shard().text(),
                        paging.token(),
                        wanted.options().order().text(),
                        Long.toString(page.next() == null ? 0 : paging.limit()),
                        page.revision().digits());
        return shown.isTable() ? tag.unsent() : tag;
    }

    /**
     * Encodes one object.
     *
     * @throws Rejection if the client requests a list (list-watch.md#ne-31), or a table with an
     *     invalid {@code includeObject} (list-watch.md#ne-26)
     */
    public JsonDocument object(ResponseForm wanted, KubeObject object) throws Rejection {
        if (wanted.form().shape() == ResponseShape.METADATA_LIST) {
            throw new Rejection(
                    StatusErrors.otherNumber(
                            ResponseShape.METADATA_LIST, false, goType(wanted.type(), "")));
        }
        if (wanted.isTable()) {
            TableWriter table = table(wanted, now());
            // Each write starts a new table.
            return out -> JsonDocument.of(object, table.objects()).begin(out);
        }
        return JsonDocument.of(object, objects(wanted));
    }

    /**
     * Encodes a list.
     *
     * @throws Rejection if the client requests a single object (list-watch.md#ne-31), or a table
     *     with an invalid {@code includeObject} (list-watch.md#ne-26)
     */
    public JsonDocument list(ResponseForm wanted, ListPage page) throws Rejection {
        ResourceType type = wanted.type();
        return switch (wanted.form().shape()) {
            case WHOLE, DISCOVERY -> dropped(wanted, ListDocument.of(type, page));
            case METADATA_LIST ->
                    dropped(wanted, ListDocument.ofMetadata(wanted.form().version(), page));
            case TABLE -> table(wanted, now()).list(page);
            case METADATA ->
                    throw new Rejection(
                            StatusErrors.otherNumber(
                                    ResponseShape.METADATA, true, goType(type, "List")));
        };
    }

    /**
     * Returns an encoder for single objects, for use by one response or one watch.
     *
     * @throws Rejection if the client requests a table with an invalid {@code includeObject}
     *     (list-watch.md#ne-26)
     */
    public ObjectEncoder objects(ResponseForm wanted) throws Rejection {
        return switch (wanted.form().shape()) {
            case WHOLE, DISCOVERY -> whole(wanted);
            case METADATA, METADATA_LIST -> metadata(wanted);
            case TABLE -> table(wanted, clock).objects();
        };
    }

    private static ObjectEncoder whole(ResponseForm wanted) {
        return dropped(wanted, TYPE_METAS.get(wanted.type()));
    }

    private static ObjectEncoder metadata(ResponseForm wanted) {
        return dropped(wanted, new ObjectEncoder.MetadataEncoder(wanted.form().version()));
    }

    /** Returns an encoder without what the client does without (list-watch.md#ne-34). */
    private static ObjectEncoder dropped(ResponseForm wanted, ObjectEncoder objects) {
        return wanted.form().dropsManagedFields()
                ? new ObjectEncoder.WithoutManagedFields(objects)
                : objects;
    }

    private static ListDocument dropped(ResponseForm wanted, ListDocument list) {
        return wanted.form().dropsManagedFields()
                ? new ListDocument(
                        list.head(), list.page(), dropped(wanted, list.items()), list.tail())
                : list;
    }

    private TableWriter table(ResponseForm wanted, InstantSource ages) throws Rejection {
        String version = wanted.form().version();
        return new TableWriter(format(wanted), version, rowObjects(wanted), ages);
    }

    /** Returns a fixed clock, so that repeated writes of a document yield the same bytes. */
    private InstantSource now() {
        return InstantSource.fixed(clock.instant());
    }

    private static @Nullable ObjectEncoder rowObjects(ResponseForm wanted) throws Rejection {
        return switch (wanted.includeObject()) {
            case "None" -> null;
            case "", "Metadata" -> metadata(wanted);
            case "Object" -> {
                if (wanted.extent() == Extent.METADATA) {
                    throw Rejection.beyondMirror(
                            StatusErrors.onlyMetadata(wanted.type(), ResponseShape.METADATA));
                }
                yield whole(wanted);
            }
            default ->
                    throw Rejection.badRequest(
                            """
                            Unable to convert to Table as requested: includeObject: Invalid value: \
                            %s: must be 'Metadata', 'Object', 'None', or empty\
                            """
                                    .formatted(GoJson.quote(wanted.includeObject())));
        };
    }

    /** Returns whether tables of a type have its own columns (list-watch.md#ne-20 to #ne-22). */
    public static boolean hasColumns(ResourceType type) {
        return !type.builtIn() || TableFormats.ofBuiltIn(type).isPresent();
    }

    private TableFormat format(ResponseForm wanted) {
        ResourceType type = wanted.type();
        return switch (wanted.extent()) {
            case METADATA -> TableFormat.plain();
            case WHOLE ->
                    type.builtIn()
                            ? TableFormats.ofBuiltIn(type).orElseGet(TableFormat::plain)
                            : customTableFormats.of(type);
        };
    }

    /** Returns the name of the Go type in the API server. */
    private static String goType(ResourceType type, String suffix) {
        String name = "." + type.kind();
        return (type.builtIn() ? "*" + type.version() + name : "*unstructured.Unstructured")
                + suffix;
    }

    /**
     * The form of a response and the type of its objects.
     *
     * @param type the type of the objects
     * @param extent how much of each object is mirrored
     * @param form the negotiated form
     * @param includeObject the parameter of that name: what the rows of a table contain of their
     *     objects (list-watch.md#ne-24 to #ne-26)
     * @param indented whether documents are indented (list-watch.md#ne-12)
     */
    public record ResponseForm(
            ResourceType type,
            Extent extent,
            Representation form,
            String includeObject,
            boolean indented) {

        boolean isTable() {
            return form.shape() == ResponseShape.TABLE;
        }

        /** Returns everything about the form that affects the bytes of a document. */
        String tag() {
            return String.join(
                    "/",
                    type.apiVersion(),
                    type.kind(),
                    extent.name(),
                    form.shape().name(),
                    form.version(),
                    form.dropsManagedFields() ? "dropped" : "",
                    indented ? "indented" : "compact");
        }
    }
}
