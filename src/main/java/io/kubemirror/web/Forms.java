package io.kubemirror.web;

import io.kubemirror.model.Extent;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;
import io.kubemirror.web.table.TableFormat;
import io.kubemirror.web.table.TableFormats;

import org.jspecify.annotations.Nullable;

import java.time.InstantSource;

/** Makes of objects and lists what clients have chosen to get (spec 2.3, 2.4). */
final class Forms {

    private final EntityTags tags;
    private final CustomFormats customFormats;
    private final InstantSource clock;

    /**
     * Forms.
     *
     * @param tags names what is made
     * @param customFormats the formats of custom resources
     * @param clock the time that ages end at
     */
    Forms(EntityTags tags, CustomFormats customFormats, InstantSource clock) {
        this.tags = tags;
        this.customFormats = customFormats;
        this.clock = clock;
    }

    /** The names of what is made. */
    EntityTags tags() {
        return tags;
    }

    /**
     * One object.
     *
     * @throws Rejection if the client wants a list (NE-31), or a table of unknown kind (NE-26)
     */
    Body object(Presentation wanted, KubeObject object) throws Rejection {
        if (wanted.form().shape() == Shape.METADATA_LIST) {
            throw new Rejection(
                    StatusErrors.otherNumber(
                            Shape.METADATA_LIST, false, goType(wanted.type(), "")));
        }
        if (wanted.form().shape() == Shape.TABLE) {
            // Each writing begins a table of its own.
            TableWriter table = table(wanted, now());
            return out -> new ObjectDocument(new TableForm(table), object).write(out);
        }
        return new ObjectDocument(objects(wanted), object);
    }

    /**
     * A list.
     *
     * @throws Rejection if the client wants one object (NE-31), or a table of unknown kind (NE-26)
     */
    Body list(Presentation wanted, Page page) throws Rejection {
        ResourceType type = wanted.type();
        return switch (wanted.form().shape()) {
            case WHOLE, DISCOVERY -> new ListDocument(type, page);
            case METADATA_LIST -> new MetadataListDocument(wanted.form().version(), page);
            case TABLE -> new TableDocument(table(wanted, now()), page);
            case METADATA ->
                    throw new Rejection(
                            StatusErrors.otherNumber(Shape.METADATA, true, goType(type, "List")));
        };
    }

    /**
     * Objects one by one, for a single answer or a single watch.
     *
     * @throws Rejection if the client wants a table of unknown kind (NE-26)
     */
    ObjectForm objects(Presentation wanted) throws Rejection {
        return switch (wanted.form().shape()) {
            case WHOLE, DISCOVERY -> new TypeMeta(wanted.type());
            case METADATA, METADATA_LIST -> new MetadataForm(wanted.form().version());
            case TABLE -> new TableForm(table(wanted, clock));
        };
    }

    private TableWriter table(Presentation wanted, InstantSource ages) throws Rejection {
        String version = wanted.form().version();
        return new TableWriter(format(wanted), version, rowObjects(wanted), ages);
    }

    /** The time stands still for a document, so that it is the same however often it is made. */
    private InstantSource now() {
        return InstantSource.fixed(clock.instant());
    }

    private static @Nullable ObjectForm rowObjects(Presentation wanted) throws Rejection {
        return switch (IncludeObject.of(wanted.query())) {
            case NONE -> null;
            case METADATA -> new MetadataForm(wanted.form().version());
            case OBJECT -> {
                if (wanted.extent() == Extent.METADATA) {
                    throw new Rejection(StatusErrors.onlyMetadata(wanted.type(), Shape.METADATA));
                }
                yield new TypeMeta(wanted.type());
            }
        };
    }

    private TableFormat format(Presentation wanted) {
        ResourceType type = wanted.type();
        return switch (wanted.extent()) {
            case METADATA -> TableFormat.plain();
            case WHOLE ->
                    type.builtIn()
                            ? TableFormats.ofBuiltIn(type).orElseGet(TableFormat::plain)
                            : customFormats.of(type);
        };
    }

    /** What the API server's program calls the type. */
    private static String goType(ResourceType type, String suffix) {
        String name = "." + type.kind();
        return (type.builtIn() ? "*" + type.version() + name : "*unstructured.Unstructured")
                + suffix;
    }
}
