package io.kubemirror.upstream;

import io.kubemirror.model.SelectableField;

import java.util.List;

/** The result of reading the definition of a custom resource. */
public sealed interface ColumnsOutcome permits ColumnsOutcome.Declared, Failure {

    /**
     * The definition was read.
     *
     * @param columns the printer columns, without the name
     * @param selectable the fields that field selectors may use
     */
    record Declared(List<PrinterColumn> columns, List<SelectableField> selectable)
            implements ColumnsOutcome {

        /** Copies the lists. */
        public Declared {
            columns = List.copyOf(columns);
            selectable = List.copyOf(selectable);
        }

        /** A definition without selectable fields. */
        public Declared(List<PrinterColumn> columns) {
            this(columns, List.of());
        }
    }
}
