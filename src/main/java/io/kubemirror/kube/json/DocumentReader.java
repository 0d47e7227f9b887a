package io.kubemirror.kube.json;

import module java.base;

import io.kubemirror.kube.json.ObjectReader.ReadResult;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.SelectableFields;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Reads objects from JSON documents that a database stores, each with a revision that is not part
 * of the document.
 *
 * <p>The revision becomes {@code metadata.resourceVersion}, whatever the document says. With
 * metadata only, everything else is dropped. Used by one thread at a time.
 */
public final class DocumentReader {

    /** The most memory that reading a document takes, in copies of it: read, recorded, stored. */
    public static final int COPIES = 3;

    private final CollectionFormat form;
    private final FieldTree tree;
    private @Nullable Instant created;

    /**
     * Creates a reader whose objects can be matched with the selection of the collection.
     *
     * @throws IllegalArgumentException if the selection has a field that is not a path
     */
    public DocumentReader(ResourceCollection collection) {
        ObjectShape shape = withSelectedFields(collection);
        this.form =
                CollectionFormat.of(
                        new ResourceCollection(collection.type(), collection.selection(), shape));
        this.tree = new FieldTree(shape);
        if (collection.extent() == Extent.METADATA) {
            tree.dropAllButMetadata();
        }
    }

    /** Adds the fields that the selection needs. */
    private static ObjectShape withSelectedFields(ResourceCollection collection) {
        ObjectShape shape = collection.shape();
        List<SelectableField> fields = new ArrayList<>(shape.selectable());
        SelectableFields known = SelectableFields.of(collection.type(), List.of());
        for (String label : collection.selection().fields().fields()) {
            if (fields.stream().noneMatch(field -> field.label().equals(label))) {
                fields.add(
                        known.extracted().stream()
                                .filter(field -> field.label().equals(label))
                                .findFirst()
                                .orElseGet(() -> SelectableField.at(label)));
            }
        }
        return new ObjectShape(fields, shape.stored());
    }

    /**
     * Reads a document. A document that is not one JSON object is foreign, like an object of
     * another type.
     *
     * @param revision the revision of the document
     */
    public ReadResult read(byte[] document, Revision revision) {
        created = null;
        RecordingInputStream input = new RecordingInputStream(document);
        try (JsonParser parser = input.parser()) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return new ReadResult.Foreign("a document that is not a JSON object");
            }
            ObjectReader reader =
                    new ObjectReader(parser, input, form, tree, /* changeTimes= */ false);
            reader.read(revision);
            created = reader.created();
            return parser.nextToken() == null
                    ? reader.take()
                    : new ReadResult.Foreign("a document with data after its JSON object");
        } catch (JacksonException _) {
            return new ReadResult.Foreign("a document that is not JSON");
        }
    }

    /** Returns the creation time of the object that was read last, or null if it has none. */
    public @Nullable Instant created() {
        return created;
    }
}
