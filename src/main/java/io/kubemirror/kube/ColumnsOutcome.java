package io.kubemirror.kube;

import java.util.List;

/** What came of asking for the columns of a custom resource. */
public sealed interface ColumnsOutcome permits ColumnsOutcome.Declared, Failure {

    /**
     * The definition could be read.
     *
     * @param columns the columns beside the name
     */
    record Declared(List<PrinterColumn> columns) implements ColumnsOutcome {

        /** Copies the list. */
        public Declared {
            columns = List.copyOf(columns);
        }
    }
}
