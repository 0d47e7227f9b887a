package io.kubemirror.reflector;

import io.kubemirror.mirror.UpdateVisibility;
import io.kubemirror.model.DeclaredFields;
import io.kubemirror.model.Extent;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.ObjectShape;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableField;
import io.kubemirror.model.SelectableFields;

import java.util.List;

/**
 * How one collection is to be reflected.
 *
 * @param strategy how to get the present state
 * @param pageSize the number of objects in a page of a list
 * @param dropped what to cut out of each object
 * @param indexed fields to select by, beside those that the type has anyway
 * @param timeouts how long to wait for what
 */
public record ReflectorSettings(
        Strategy strategy,
        int pageSize,
        List<FieldPath> dropped,
        List<SelectableField> indexed,
        ReflectorTimeouts timeouts) {

    /** Settings with the usual patience. */
    public ReflectorSettings(
            Strategy strategy,
            int pageSize,
            List<FieldPath> dropped,
            List<SelectableField> indexed) {
        this(strategy, pageSize, dropped, indexed, ReflectorTimeouts.defaults());
    }

    /** Copies the lists. */
    public ReflectorSettings {
        dropped = List.copyOf(dropped);
        indexed = List.copyOf(indexed);
    }

    /** Which updates of objects local clients can see: where nothing is dropped, all. */
    public UpdateVisibility updates() {
        return dropped.isEmpty() ? UpdateVisibility.ALL : UpdateVisibility.VISIBLE;
    }

    /** What to read and to drop of the objects of a type, or of their metadata. */
    ObjectShape shape(ResourceType type, DeclaredFields declared, Extent extent) {
        SelectableFields fields = SelectableFields.of(type, declared, indexed, extent);
        return new ObjectShape(fields.extracted(), dropped);
    }
}
