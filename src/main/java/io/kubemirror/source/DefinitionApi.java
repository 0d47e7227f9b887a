package io.kubemirror.source;

import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableField;

import java.util.List;

/** Describes custom resources. */
public interface DefinitionApi {

    /**
     * Requests the columns and selectable fields that the definition of a custom resource declares.
     */
    Result<ResourceDefinition> definition(ResourceType type);

    /**
     * What the definition of a custom resource declares.
     *
     * @param columns the printer columns, without the name
     * @param selectable the fields that field selectors may use
     */
    public record ResourceDefinition(
            List<PrinterColumn> columns, List<SelectableField> selectable) {

        /** Copies the lists. */
        public ResourceDefinition {
            columns = List.copyOf(columns);
            selectable = List.copyOf(selectable);
        }

        /** A definition without selectable fields. */
        public ResourceDefinition(List<PrinterColumn> columns) {
            this(columns, List.of());
        }

        /**
         * A printer column of a custom resource (list-watch.md#ne-21).
         *
         * @param name the heading
         * @param type the type of the values: {@code string}, {@code integer}, {@code number},
         *     {@code boolean} or {@code date}
         * @param format further details of the type, possibly empty
         * @param description the description of the column
         * @param priority 0 for a column that is always shown, a larger number for one of {@code
         *     kubectl -o wide}
         * @param jsonPath the path of the value in the object
         */
        public record PrinterColumn(
                String name,
                String type,
                String format,
                String description,
                int priority,
                String jsonPath) {}
    }
}
