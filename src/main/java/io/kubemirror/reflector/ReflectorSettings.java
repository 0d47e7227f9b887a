package io.kubemirror.reflector;

import io.kubemirror.mirror.UpdateVisibility;
import io.kubemirror.model.Extent;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.ObjectShape;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableField;
import io.kubemirror.model.SelectableFields;
import io.kubemirror.model.SelectableFields.DeclaredFields;

import java.time.Duration;
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

    /**
     * The time limits of reflectors, the same for all reflectors of a process.
     *
     * @param startSpread the maximum random delay of the start (list-watch.md#bo-7)
     * @param internalErrors how long a watch is retried after internal errors of the server, before
     *     a list (list-watch.md#up-38)
     * @param initialSilence the maximum pause of a watch-list before its initial events are
     *     complete, in case the server does not support watch-lists (list-watch.md#up-28)
     * @param auditInterval the interval between comparisons of the mirror with the server, zero for
     *     none (list-watch.md#ca-6)
     */
    public record ReflectorTimeouts(
            Duration startSpread,
            Duration internalErrors,
            Duration initialSilence,
            Duration auditInterval) {}
}
