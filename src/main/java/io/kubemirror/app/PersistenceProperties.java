package io.kubemirror.app;

import static io.kubemirror.app.PropertyChecks.refuse;

import module java.base;

import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/**
 * Mirrors on disk, from which the next process continues without a list.
 *
 * @param directory [KEY] Directory for the mirrors, used by this process alone. By default mirrors
 *     are not stored.
 * @param maxBytes Maximum size of all files together. Mirrors that do not fit are not stored.
 */
public record PersistenceProperties(@Nullable String directory, @Nullable DataSize maxBytes) {

    /** Refuses values that contradict each other. */
    public PersistenceProperties {
        refuse(
                directory != null && directory.isBlank(),
                "kubemirror.persistence.directory",
                "is empty; set a path, or remove it");
        refuse(
                maxBytes != null && (directory == null || maxBytes.toBytes() < 1),
                "kubemirror.persistence.max-bytes",
                "needs kubemirror.persistence.directory, and a size such as 2GB");
    }

    /** Returns the maximum size of all files, in bytes. */
    public long limit() {
        return maxBytes == null ? Long.MAX_VALUE : maxBytes.toBytes();
    }
}
