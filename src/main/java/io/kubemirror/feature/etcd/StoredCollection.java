package io.kubemirror.feature.etcd;

import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;

import okio.ByteString;

import org.jspecify.annotations.Nullable;

/**
 * Where etcd keeps the objects of a type: under {@code prefix/namespace/name}, or {@code
 * prefix/name} for a type of cluster scope.
 *
 * @param type the type of the objects
 * @param prefix the beginning of their keys, which ends with a slash
 */
public record StoredCollection(ResourceType type, String prefix) {

    /** Returns whether a name is for the type, or may be. */
    boolean isNamed(ResourceName name) {
        return name.match(type.group(), type.version(), type.plural()) != ResourceName.Match.NONE;
    }

    /** Returns the first key of a namespace, or of the collection if it is empty. */
    ByteString start(String namespace) {
        return ByteString.encodeUtf8(namespace.isEmpty() ? prefix : prefix + namespace + "/");
    }

    /** Returns the key after all keys with the same beginning, which ends with a slash. */
    static ByteString end(ByteString start) {
        byte[] end = start.toByteArray();
        end[end.length - 1]++;
        return ByteString.of(end);
    }

    /** Returns the key of the object that a key of etcd belongs to, null if it belongs to none. */
    @Nullable ObjectKey objectKey(ByteString key) {
        String path = key.substring(ByteString.encodeUtf8(prefix).size()).utf8();
        int slash = path.indexOf('/');
        boolean namespaced =
                slash > 0 && slash == path.lastIndexOf('/') && slash < path.length() - 1;
        boolean plain = slash < 0 && !path.isEmpty();
        return (type.namespaced() ? namespaced : plain) ? new ObjectKey(path) : null;
    }

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

        private final String start;
        private final String problem;

        UnreadableValue(String start, String problem) {
            this.start = start;
            this.problem = problem;
        }

        /** Returns the reason for a value that could not be read. */
        static UnreadableValue of(byte[] value) {
            for (UnreadableValue reason : values()) {
                ByteString start = ByteString.encodeUtf8(reason.start);
                if (start.rangeEquals(0, value, 0, start.size())) {
                    return reason;
                }
            }
            return FOREIGN;
        }

        /** Returns the value of the {@code Warning} header that tells readers about the problem. */
        String warning(StoredCollection stored) {
            return "299 - \"" + describe(stored) + "\"";
        }

        /** Describes the problem in one line, with the prefix of the keys, without any content. */
        String describe(StoredCollection stored) {
            return "values under %s in etcd are not served: they are %s"
                    .formatted(stored.prefix(), problem);
        }
    }
}
