package io.kubemirror.web.table;

/** The columns of secrets; how many values there are, never the values. */
final class SecretTable {

    private SecretTable() {}

    static TableFormat format() {
        return TableFormat.of(
                Column.named(),
                Column.text(
                        "Type",
                        "Used to facilitate programmatic handling of secret data. More info:"
                            + " https://kubernetes.io/docs/concepts/configuration/secret/#secret-types",
                        object -> object.path("type").asString("")),
                Column.count(
                        "Data",
                        "Data contains the secret data. Each key must consist of alphanumeric"
                            + " characters, '-', '_' or '.'. The serialized form of the secret data"
                            + " is a base64 encoded string, representing the arbitrary (possibly"
                            + " non-string) data value here. Described in"
                            + " https://tools.ietf.org/html/rfc4648#section-4",
                        object -> object.path("data").size()),
                Column.age());
    }
}
