package io.kubemirror.web.table;

/** The columns of config maps. */
final class ConfigMapTable {

    private ConfigMapTable() {}

    static TableFormat format() {
        return TableFormat.of(
                Column.named(),
                Column.count(
                        "Data",
                        "Data contains the configuration data. Each key must consist of"
                            + " alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8"
                            + " byte sequences must use the BinaryData field. The keys stored in"
                            + " Data must not overlap with the keys in the BinaryData field, this"
                            + " is enforced during validation process.",
                        object -> object.path("data").size() + object.path("binaryData").size()),
                Column.age());
    }
}
