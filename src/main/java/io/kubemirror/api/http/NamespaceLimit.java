package io.kubemirror.api.http;

import module java.base;

import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/**
 * The namespaces in which a client may read a resource, although it asks for all of them
 * (list-watch.md#pn-1).
 *
 * <p>They never change. When the client may read others, the limit {@linkplain #end ends}, and
 * another one begins at the revision that the mirror has then. A client that has reached a revision
 * before that has seen other namespaces. It cannot continue there, and lists again
 * (list-watch.md#pn-3). Thread-safe.
 */
public final class NamespaceLimit {

    private final @Nullable SortedSet<String> namespaces;

    /** No client continues before it is known. */
    private volatile @Nullable Revision since;

    private volatile boolean ended;

    private NamespaceLimit(@Nullable SortedSet<String> namespaces) {
        this.namespaces = namespaces;
    }

    /** Creates a limit that has not begun. */
    public static NamespaceLimit to(Set<String> namespaces) {
        return new NamespaceLimit(Collections.unmodifiableSortedSet(new TreeSet<>(namespaces)));
    }

    /**
     * Creates the limit while no mirror has content: the client sees nothing, has to come again,
     * and can start a mirror on demand (list-watch.md#pn-2).
     */
    public static NamespaceLimit unknown() {
        NamespaceLimit none = to(Set.of());
        none.end();
        return none;
    }

    /** Creates what follows a limit when the client may read all namespaces. */
    public static NamespaceLimit toNone() {
        return new NamespaceLimit(null);
    }

    /**
     * Begins the limit.
     *
     * @param revision that of the mirror, read after the limit before has ended
     */
    public void begin(Revision revision) {
        since = revision;
    }

    /** Ends the limit, because the client may read other namespaces. */
    public void end() {
        ended = true;
    }

    /** Returns whether the client may read other namespaces now. */
    public boolean isEnded() {
        return ended;
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
        return !ended && begin != null && !begin.isAfter(revision);
    }
}
