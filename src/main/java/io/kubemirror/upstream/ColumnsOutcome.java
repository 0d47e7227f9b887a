package io.kubemirror.upstream;

import io.kubemirror.model.SelectableField;

import java.util.List;

/** What came of asking for the definition of a custom resource. */
public sealed interface ColumnsOutcome permits ColumnsOutcome.Declared, Failure {

    /**
     * The definition could be read.
     *
     * @param columns the columns beside the name
     * @param selectable the fields that clients may select by
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
