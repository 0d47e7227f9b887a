package io.kubemirror.api.http;

import module java.base;

import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/**
 * The namespaces in which a client may read a resource, although it asks for all of them
 * (list-watch.md#pn-1).
 *
 * <p>They never change. When the client may read others, another limit {@linkplain #replaceBy takes
 * the place} of this one, and begins at a later revision. A client that has reached a revision
 * before that has seen other namespaces. It cannot continue there, and lists again
 * (list-watch.md#pn-3). Thread-safe.
 */
public final class NamespaceLimit {

    private final @Nullable SortedSet<String> namespaces;

    /** No client continues before it is known. */
    private volatile @Nullable Revision since;

    private volatile @Nullable NamespaceLimit successor;

    private NamespaceLimit(@Nullable SortedSet<String> namespaces) {
        this.namespaces = namespaces;
    }

    /** Creates a limit that has not begun. */
    public static NamespaceLimit to(Set<String> namespaces) {
        return new NamespaceLimit(Collections.unmodifiableSortedSet(new TreeSet<>(namespaces)));
    }

    /** Creates what takes the place of a limit when the client may read all namespaces. */
    public static NamespaceLimit toNone() {
        return new NamespaceLimit(null);
    }

    /**
     * Begins the limit.
     *
     * @param revision that of the mirror, read after the limit before was replaced
     */
    public void begin(Revision revision) {
        since = revision;
    }

    /** Replaces the limit by another one, which begins afterwards. */
    public void replaceBy(NamespaceLimit other) {
        successor = other;
    }

    /** Whether another limit has taken the place of this one. */
    public boolean isReplaced() {
        return successor != null;
    }

    /** Returns what has taken the place of this limit, or the limit itself. */
    public NamespaceLimit latest() {
        NamespaceLimit latest = this;
        for (NamespaceLimit next = successor; next != null; next = next.successor) {
            latest = next;
        }
        return latest;
    }

    /** Returns the namespaces in byte order, empty for all. */
    public Optional<SortedSet<String>> namespaces() {
        return Optional.ofNullable(namespaces);
    }

    /** Returns what a selector matches in these namespaces. */
    public FieldSelector narrow(FieldSelector fields) {
        return namespaces == null ? fields : fields.within(namespaces);
    }

    /** Returns whether a client that has reached a revision may continue there. */
    public boolean continuesAfter(Revision revision) {
        Revision begin = since;
        return successor == null && begin != null && !begin.isAfter(revision);
    }
}
