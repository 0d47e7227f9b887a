package io.kubemirror.reflector;

import io.kubemirror.model.Extent;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.ObjectShape;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableField;
import io.kubemirror.model.SelectableFields;

import java.time.Duration;
import java.util.List;

/**
 * How one collection is to be reflected.
 *
 * @param strategy how to get the present state
 * @param pageSize the number of objects in a page of a list
 * @param dropped what to cut out of each object
 * @param indexed fields to select by, beside those that the type has anyway
 * @param auditInterval how often to compare the mirror with the server, zero for never
 */
public record ReflectorSettings(
        Strategy strategy,
        int pageSize,
        List<FieldPath> dropped,
        List<SelectableField> indexed,
        Duration auditInterval) {

    /** The settings of a mirror that is never audited. */
    public ReflectorSettings(
            Strategy strategy,
            int pageSize,
            List<FieldPath> dropped,
            List<SelectableField> indexed) {
        this(strategy, pageSize, dropped, indexed, Duration.ZERO);
    }

    /** The same with audits. */
    public ReflectorSettings auditedEvery(Duration interval) {
        return new ReflectorSettings(strategy, pageSize, dropped, indexed, interval);
    }

    /** Copies the lists. */
    public ReflectorSettings {
        dropped = List.copyOf(dropped);
        indexed = List.copyOf(indexed);
    }

    /** What to read and to drop of the objects of a type, or of their metadata. */
    ObjectShape shape(ResourceType type, Extent extent) {
        return new ObjectShape(SelectableFields.of(type, indexed, extent).extracted(), dropped);
    }
}
