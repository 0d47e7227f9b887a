package io.kubemirror.feature.etcd;

import module java.base;

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
        return name.match(type) != ResourceName.Match.NONE;
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

    /** Says that a value cannot be read, and what to do. Names no object. */
    String unreadable() {
        return "a value under "
                + prefix
                + " in etcd is no JSON object of the configured kind and version under its own"
                + " name; correct the resource and its prefix, kind and namespaced, or, if an API"
                + " server stores it as protobuf or encrypted, mirror it from there or start it"
                + " with --storage-media-type=application/json";
    }
}
