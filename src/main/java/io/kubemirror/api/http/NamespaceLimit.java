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
 * another one takes its place, which begins with the first present state that is served under it. A
 * client that has reached a revision before that may have seen other namespaces. It cannot continue
 * there, and lists again (list-watch.md#pn-3). Thread-safe.
 *
 * <p>The informers of a client for one resource share a limit. One that was not connected when the
 * limit changed continues without a list only if another has listed since, and nothing in the
 * mirror has changed meanwhile.
 */
public final class NamespaceLimit {

    private final @Nullable SortedSet<String> namespaces;

    /** No client continues before there is one. */
    private final AtomicReference<@Nullable Revision> since = new AtomicReference<>();

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

    /** Creates the limit of a client that may read all namespaces. */
    public static NamespaceLimit toNone() {
        return new NamespaceLimit(null);
    }

    /**
     * Begins the limit, unless it has begun.
     *
     * @param revision that of a present state, in which the client sees these namespaces
     */
    public void begin(Revision revision) {
        since.compareAndSet(null, revision);
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
        Revision begin = since.get();
        return !ended && begin != null && !begin.isAfter(revision);
    }
}
