package io.kubemirror.reflector;

import io.kubemirror.mirror.MirrorWriter.UpdateVisibility;
import io.kubemirror.model.Extent;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.ObjectShape;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableField;
import io.kubemirror.model.SelectableFields;
import io.kubemirror.model.SelectableFields.DeclaredFields;

import java.util.List;

/**
 * The settings for reflecting one collection.
 *
 * @param strategy how to fetch the present state
 * @param pageSize the number of objects in a page of a list
 * @param dropped the members removed from each object
 * @param indexed additional fields for field selectors, beside those that the type has
 * @param timeouts the time limits
 */
public record ReflectorSettings(
        Strategy strategy,
        int pageSize,
        List<FieldPath> dropped,
        List<SelectableField> indexed,
        ReflectorTimeouts timeouts) {

    /** Creates settings with default timeouts. */
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

    /** Returns which updates of objects local clients see: all, if nothing is dropped. */
    public UpdateVisibility updates() {
        return dropped.isEmpty() ? UpdateVisibility.ALL : UpdateVisibility.VISIBLE;
    }

    /** Returns the members to read and to drop of the objects of a type, or of their metadata. */
    ObjectShape shape(ResourceType type, DeclaredFields declared, Extent extent) {
        SelectableFields fields = SelectableFields.of(type, declared, indexed, extent);
        return new ObjectShape(fields.extracted(), dropped);
    }
}
