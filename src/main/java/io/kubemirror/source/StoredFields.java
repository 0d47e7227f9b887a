package io.kubemirror.source;

import module java.base;

import io.kubemirror.model.FieldPath;

/**
 * What a mirror stores of each object (list-watch.md#ca-4).
 *
 * @param kept the only members of the stored JSON, beside those that every object needs; none for
 *     all
 * @param dropped the members removed from the stored JSON, also from those that are kept
 */
public record StoredFields(List<FieldPath> kept, List<FieldPath> dropped) {

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

    /**
     * Copies the lists.
     *
     * @throws IllegalArgumentException if a member is dropped that is required in every object
     *     (list-watch.md#ca-4)
     */
    public StoredFields {
        kept = List.copyOf(kept);
        dropped = List.copyOf(dropped);
        for (FieldPath path : dropped) {
            if (path.equals(METADATA) || NEEDED.contains(path)) {
                throw new IllegalArgumentException(path + " cannot be dropped");
            }
        }
    }

    /**
     * Returns the same fields without what repeats values of others, unless nothing else is hidden,
     * or unless the path of such a copy is kept by itself (list-watch.md#ca-4).
     *
     * @param metadataOnly whether everything but metadata is hidden
     */
    public StoredFields withoutCopies(boolean metadataOnly) {
        boolean hides =
                metadataOnly || !kept.isEmpty() || !dropped.stream().allMatch(StoredFields::isCopy);
        List<FieldPath> copies =
                COPIES.stream()
                        .filter(copy -> hides && isStored(copy))
                        .filter(copy -> kept.stream().noneMatch(copy::contains))
                        .toList();
        return new StoredFields(kept, Stream.concat(dropped.stream(), copies.stream()).toList());
    }

    private static boolean isCopy(FieldPath path) {
        return COPIES.stream().anyMatch(copy -> copy.contains(path));
    }

    /** Returns the members that are kept if not all are: the given ones, and those needed. */
    public List<FieldPath> remaining() {
        return Stream.concat(NEEDED.stream(), kept.stream()).toList();
    }

    /** Returns whether a member of an object, or a part of it, is stored. */
    private boolean isStored(FieldPath path) {
        return dropped.stream().noneMatch(one -> one.contains(path))
                && (kept.isEmpty() || kept.stream().anyMatch(path::overlaps));
    }

    /** Returns whether a path is that of a member of the metadata. */
    public static boolean isOfMetadata(FieldPath path) {
        return METADATA.contains(path);
    }

    /** Returns what differs from whole objects, in characters that a header can have. */
    public String text() {
        return Stream.of(listed("keep", kept), listed("drop", dropped))
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
}
