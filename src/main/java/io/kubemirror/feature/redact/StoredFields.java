package io.kubemirror.feature.redact;

import module java.base;

import io.kubemirror.model.FieldPath;

import org.jspecify.annotations.Nullable;

/**
 * What a mirror stores of each object (list-watch.md#ca-4).
 *
 * @param kept the only members of the stored JSON, beside those that every object needs; none for
 *     all
 * @param dropped the members removed from the stored JSON, also from those that are kept
 * @param redacted the members that stay with other values (list-watch.md#ca-4b)
 * @param redaction what takes the place of these values
 * @param key the key of hashes; null where nothing is read
 */
public record StoredFields(
        List<FieldPath> kept,
        List<FieldPath> dropped,
        List<FieldPath> redacted,
        Redaction redaction,
        @Nullable SecretKey key) {

    /** Everything. */
    public static final StoredFields ALL = new StoredFields(List.of(), List.of());

    private static final FieldPath METADATA = FieldPath.parse("metadata");

    private static final List<FieldPath> NEEDED =
            Stream.of(
                            "metadata.name",
                            "metadata.namespace",
                            "metadata.uid",
                            "metadata.resourceVersion")
                    .map(FieldPath::parse)
                    .toList();

    /** Also what selectors show, and what is not part of the stored JSON. */
    private static final List<FieldPath> READABLE =
            Stream.concat(
                            NEEDED.stream(),
                            Stream.of("metadata.labels", "kind", "apiVersion")
                                    .map(FieldPath::parse))
                    .toList();

    /**
     * What repeats values of other members: {@code managedFields} has elements of lists as names of
     * its members, and the configuration that kubectl applied last has the whole object, in another
     * version, or with members such as {@code stringData}.
     */
    private static final List<FieldPath> COPIES =
            Stream.of(
                            "metadata.managedFields",
                            "metadata.annotations"
                                    + "['kubectl.kubernetes.io/last-applied-configuration']")
                    .map(FieldPath::parse)
                    .toList();

    /** What takes the place of a redacted value. */
    public enum Redaction {
        /** A keyed hash, which differs for different values of a member of an object. */
        HASH,
        /** The same word for all values. */
        FIXED
    }

    /**
     * Copies the lists.
     *
     * @throws IllegalArgumentException if a member is dropped or redacted that is required in every
     *     object (list-watch.md#ca-4, #ca-4b)
     */
    public StoredFields {
        kept = List.copyOf(kept);
        dropped = List.copyOf(dropped);
        redacted = List.copyOf(redacted);
        for (FieldPath path : dropped) {
            if (path.equals(METADATA) || NEEDED.contains(path)) {
                throw new IllegalArgumentException(path + " cannot be dropped");
            }
        }
        for (FieldPath path : redacted) {
            if (READABLE.stream().anyMatch(path::overlaps)) {
                throw new IllegalArgumentException(path + " cannot be redacted");
            }
        }
    }

    /** Creates fields of which none is redacted. */
    public StoredFields(List<FieldPath> kept, List<FieldPath> dropped) {
        this(kept, dropped, List.of(), Redaction.HASH, null);
    }

    /** Returns the same fields, some of which are redacted. */
    public StoredFields redacting(List<FieldPath> paths, Redaction with) {
        return new StoredFields(kept, dropped, paths, with, key);
    }

    /**
     * Returns the same fields without what repeats values of others, unless nothing else is hidden,
     * or unless the path of such a copy is kept by itself (list-watch.md#ca-4).
     *
     * @param metadataOnly whether everything but metadata is hidden
     */
    public StoredFields withoutCopies(boolean metadataOnly) {
        boolean hides =
                metadataOnly
                        || !kept.isEmpty()
                        || Stream.concat(dropped.stream(), redacted.stream())
                                .anyMatch(
                                        path ->
                                                COPIES.stream()
                                                        .noneMatch(copy -> copy.contains(path)));
        List<FieldPath> copies =
                COPIES.stream()
                        .filter(copy -> hides && isStored(copy))
                        .filter(copy -> kept.stream().noneMatch(copy::contains))
                        .toList();
        return new StoredFields(
                kept,
                Stream.concat(dropped.stream(), copies.stream()).toList(),
                redacted,
                redaction,
                key);
    }

    /** Returns the same fields with the key of hashes, which is derived from a secret. */
    StoredFields keyed(SecretKey secret) {
        return new StoredFields(kept, dropped, redacted, redaction, Redactor.key(secret));
    }

    /** Returns the members that are kept if not all are: the given ones, and those needed. */
    public List<FieldPath> remaining() {
        return Stream.concat(NEEDED.stream(), kept.stream()).toList();
    }

    /** Returns whether a member of an object, or a part of it, is stored in any form. */
    public boolean isStored(FieldPath path) {
        return dropped.stream().noneMatch(one -> one.contains(path))
                && (kept.isEmpty() || kept.stream().anyMatch(path::overlaps));
    }

    /** Returns whether all of a member is stored as it is. */
    public boolean isShown(FieldPath path) {
        return Stream.concat(dropped.stream(), redacted.stream()).noneMatch(path::overlaps)
                && (kept.isEmpty() || remaining().stream().anyMatch(one -> one.contains(path)));
    }

    /** Returns whether anything but metadata is left out or redacted. */
    public boolean hidesContent() {
        return !kept.isEmpty()
                || Stream.concat(dropped.stream(), redacted.stream())
                        .anyMatch(path -> !METADATA.contains(path));
    }

    /** Returns the same fields of metadata, and nothing else. */
    public StoredFields ofMetadata() {
        List<FieldPath> parts = kept.stream().filter(METADATA::contains).toList();
        return new StoredFields(
                kept.isEmpty() ? List.of(METADATA) : parts.isEmpty() ? NEEDED : parts,
                dropped,
                redacted,
                redaction,
                key);
    }

    /** Returns whether a member, or a part of it, is redacted. */
    public boolean isRedacted(FieldPath path) {
        return redacted.stream().anyMatch(path::overlaps);
    }

    /** Returns what differs from whole objects, in characters that a header can have. */
    public String text() {
        return Stream.of(listed("keep", kept), listed("drop", dropped), listed("redact", redacted))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(", "));
    }

    private static String listed(String name, List<FieldPath> paths) {
        String text =
                paths.stream()
                        .map(FieldPath::toString)
                        .collect(Collectors.joining(","))
                        .replaceAll("[^ !#-~]", "?");
        return text.isEmpty() ? "" : name + "=\"" + text + "\"";
    }

    /** Returns the text, never the key. */
    @Override
    public String toString() {
        return text();
    }
}
