package io.kubemirror.feature.disk;

import io.kubemirror.app.NeedsRestart;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/**
 * Mirrors on disk, from which the next process continues without a list.
 *
 * @param directory Directory for the mirrors, used by this process alone, on a disk that outlives
 *     the process, such as an emptyDir volume. By default mirrors are not stored.
 * @param keyFile File with a key of 32 bytes in Base64, with which everything in the directory is
 *     encrypted. Without it, Secrets are not stored.
 * @param maxBytes Maximum size of all files together. Mirrors that do not fit are not stored. By
 *     default the disk is the limit.
 */
@NeedsRestart
@ConfigurationProperties("kubemirror.persistence")
public record PersistenceProperties(
        @Nullable String directory, @Nullable String keyFile, @Nullable DataSize maxBytes) {}
