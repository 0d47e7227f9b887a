package io.kubemirror.web.table;

/** The columns of namespaces. */
final class NamespaceTable {

    private NamespaceTable() {}

    static TableFormat format() {
        return TableFormat.of(
                Column.named(),
                Column.text(
                        "Status",
                        "The status of the namespace",
                        object -> object.at("/status/phase").asString("")),
                Column.age());
    }
}
