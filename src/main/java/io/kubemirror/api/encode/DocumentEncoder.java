package io.kubemirror.api.encode;

import io.kubemirror.api.encode.table.TableFormat;
import io.kubemirror.api.encode.table.TableFormats;
import io.kubemirror.api.http.IncludeObject;
import io.kubemirror.api.http.JsonDocument;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.ResponseForm;
import io.kubemirror.api.http.ResponseShape;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.model.Extent;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;

import org.jspecify.annotations.Nullable;

import java.time.InstantSource;

/**
 * Encodes objects and lists in the format that the client has negotiated (list-watch.md#tables).
 */
public final class DocumentEncoder {

    private final EntityTags tags;
    private final CustomTableFormats customTableFormats;
    private final InstantSource clock;

    /**
     * Creates an encoder.
     *
     * @param tags creates entity tags
     * @param customTableFormats the table formats of custom resources
     * @param clock the clock from which ages are computed
     */
    public DocumentEncoder(
            EntityTags tags, CustomTableFormats customTableFormats, InstantSource clock) {
        this.tags = tags;
        this.customTableFormats = customTableFormats;
        this.clock = clock;
    }

    /** Returns the entity tags of encoded documents. */
    public EntityTags tags() {
        return tags;
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
        if (wanted.form().shape() == ResponseShape.TABLE) {
            // Each write starts a new table.
            TableWriter table = table(wanted, now());
            return out -> new ObjectDocument(new TableEncoder(table), object).write(out);
        }
        return new ObjectDocument(objects(wanted), object);
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
            case WHOLE, DISCOVERY -> new ListDocument(type, page);
            case METADATA_LIST -> new MetadataListDocument(wanted.form().version(), page);
            case TABLE -> new TableDocument(table(wanted, now()), page);
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
            case WHOLE, DISCOVERY -> new TypeMeta(wanted.type());
            case METADATA, METADATA_LIST -> new MetadataEncoder(wanted.form().version());
            case TABLE -> new TableEncoder(table(wanted, clock));
        };
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
        return switch (IncludeObject.of(wanted.query())) {
            case NONE -> null;
            case METADATA -> new MetadataEncoder(wanted.form().version());
            case OBJECT -> {
                if (wanted.extent() == Extent.METADATA) {
                    throw new Rejection(
                            StatusErrors.onlyMetadata(wanted.type(), ResponseShape.METADATA));
                }
                yield new TypeMeta(wanted.type());
            }
        };
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
}
