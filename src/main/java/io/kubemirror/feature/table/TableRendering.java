package io.kubemirror.feature.table;

import module java.base;

import io.kubemirror.api.encode.DocumentEncoder.ResponseForm;
import io.kubemirror.api.encode.JsonDocument;
import io.kubemirror.api.encode.ListPage;
import io.kubemirror.api.encode.ObjectEncoder;
import io.kubemirror.api.encode.Rendering;
import io.kubemirror.api.http.GoJson;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Representation.ResponseShape;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.source.Source;

import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Rows and columns for display (list-watch.md#tables). Safe for use by any thread. */
@Component
final class TableRendering implements Rendering {

    private static final ResponseShape TABLE = ResponseShape.ofMeta("Table", "table");

    private final CustomTableFormats custom;
    private final InstantSource clock;

    /**
     * Creates the rendering.
     *
     * @param sources have the definitions of custom resources
     * @param clock the clock from which ages are computed
     * @param nanos a monotonic clock in nanoseconds
     */
    TableRendering(Source sources, InstantSource clock, LongSupplier nanos) {
        this.custom = new CustomTableFormats(sources::definition, nanos);
        this.clock = clock;
    }

    @Override
    public ResponseShape shape() {
        return TABLE;
    }

    /** Returns whether tables of a type have its own columns (list-watch.md#ne-20). */
    @Override
    public boolean isNative(ResourceType type) {
        return known(type).isPresent();
    }

    private Optional<TableFormat> known(ResourceType type) {
        return type.builtIn() ? TableFile.of(type.groupResource()) : custom.of(type);
    }

    /** Ages depend on the time. */
    @Override
    public boolean isTimed() {
        return true;
    }

    @Override
    public JsonDocument list(ResponseForm wanted, String kind, ListPage page) throws Rejection {
        if (page.counts() != null) {
            throw Rejection.badRequest("there is no table of counts: request application/json");
        }
        return table(wanted, now()).document(page.metadata(false), page.objects());
    }

    @Override
    public JsonDocument object(ResponseForm wanted, KubeObject object) throws Rejection {
        return table(wanted, now())
                .document(TableWriter.metadata(object.revision()), List.of(object));
    }

    @Override
    public ObjectEncoder objects(ResponseForm wanted) throws Rejection {
        return table(wanted, clock).objects();
    }

    private TableWriter table(ResponseForm wanted, InstantSource ages) throws Rejection {
        return new TableWriter(format(wanted), wanted.form().version(), rowObjects(wanted), ages);
    }

    /** Returns a fixed clock, so that repeated writes of a document yield the same bytes. */
    private InstantSource now() {
        return InstantSource.fixed(clock.instant());
    }

    /** Returns what writes the object of a row (list-watch.md#ne-24 to #ne-26). */
    private static @Nullable ObjectEncoder rowObjects(ResponseForm wanted) throws Rejection {
        String included = wanted.query().text("includeObject");
        return switch (included) {
            case "None" -> null;
            case "", "Metadata" -> wanted.metadata();
            case "Object" -> {
                if (wanted.extent() == Extent.METADATA) {
                    throw Rejection.beyondMirror(
                            StatusErrors.onlyMetadata(wanted.type(), ResponseShape.METADATA));
                }
                yield wanted.whole();
            }
            default ->
                    throw Rejection.badRequest(
                            """
                            Unable to convert to Table as requested: includeObject: Invalid value: \
                            %s: must be 'Metadata', 'Object', 'None', or empty\
                            """
                                    .formatted(GoJson.text(included)));
        };
    }

    private TableFormat format(ResponseForm wanted) {
        return switch (wanted.extent()) {
            case METADATA -> TableFile.plain();
            case WHOLE -> known(wanted.type()).orElseGet(TableFile::plain);
        };
    }
}
