package io.kubemirror.feature.etcd;

import okio.ByteString;

/** Why a value is no object of its collection, and what to do. */
enum UnreadableValue {
    /** The binary format of Kubernetes, the default of an API server for its own types. */
    PROTOBUF(
            "k8s\0",
            "in the protobuf format of Kubernetes; mirror the resource from the API server, or"
                    + " start that with --storage-media-type=application/json and write the"
                    + " objects again"),

    /** Encrypted by an API server. */
    ENCRYPTED(
            "k8s:enc:",
            "encrypted; mirror the resource from the API server, or exclude it from the"
                    + " encryption configuration and write the objects again"),

    /** Anything else. */
    FOREIGN(
            "",
            "not JSON objects of the configured kind and version under their own names; correct"
                    + " the resource and its prefix, kind and namespaced");

    private static final int MAX_START_LENGTH = 8;

    private final String start;
    private final String problem;

    UnreadableValue(String start, String problem) {
        this.start = start;
        this.problem = problem;
    }

    /** Returns the reason for a value that could not be read. */
    static UnreadableValue of(byte[] value) {
        ByteString beginning = ByteString.of(value, 0, Math.min(value.length, MAX_START_LENGTH));
        for (UnreadableValue reason : values()) {
            if (beginning.startsWith(ByteString.encodeUtf8(reason.start))) {
                return reason;
            }
        }
        return FOREIGN;
    }

    /** Returns the value of the {@code Warning} header that tells readers about the problem. */
    String warning(StoredCollection stored) {
        return "299 - \"" + describe(stored) + "\"";
    }

    /** Describes the problem in one line, with the prefix of the keys and without any content. */
    String describe(StoredCollection stored) {
        return "values under " + stored.prefix() + " in etcd are not served: they are " + problem;
    }
}
