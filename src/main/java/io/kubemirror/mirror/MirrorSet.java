package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.model.Scope;

/**
 * The mirrors of the process, in the order of the configuration. Mirrors come and go while the
 * process runs.
 *
 * <p>Readers take the newest list and never lock. A reader may therefore use a mirror that has just
 * been removed: the mirror keeps its last state for as long as it is referred to, and {@link
 * Mirror#isRemoved} tells that it does not advance any more. Changes come one at a time, under a
 * lock that only changes take: no reader, and no writer of a mirror, waits for a listener.
 *
 * <p>Safe for use by any thread.
 */
public final class MirrorSet {

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    /** Written under the lock, read by any thread. */
    private volatile List<Mirror> all = List.of();

    /**
     * Learns which mirrors come and go. Calls come one at a time, on the thread that changes the
     * set. They must return soon and must not change the set.
     */
    public interface Listener {

        /** A mirror is about to be visible in the set. */
        default void added(Mirror mirror) {}

        /**
         * A mirror is not visible in the set any more and is {@linkplain Mirror#isRemoved marked}
         * as removed. Another mirror of the same scope may have taken its place.
         */
        default void removed(Mirror mirror) {}
    }

    /** Returns the present mirrors, in the order of the configuration. */
    public List<Mirror> all() {
        return all;
    }

    /**
     * Returns the present mirrors of resources with a plural, of whatever group, in the order of
     * the configuration. The type of a mirror has the plural of its name.
     */
    public Stream<Mirror> named(String plural) {
        return stream().filter(mirror -> mirror.scope().resource().plural().equals(plural));
    }

    /** Returns the present mirrors, in the order of the configuration. */
    public Stream<Mirror> stream() {
        return all.stream();
    }

    /** Returns whether there is a mirror of the same name, which its metrics have. */
    public boolean has(Scope scope) {
        return stream().anyMatch(mirror -> mirror.scope().toString().equals(scope.toString()));
    }

    /** Adds a listener, which gets to know the present mirrors as added. */
    public void listen(Listener listener) {
        lock.lock();
        try {
            listeners.add(listener);
            all.forEach(listener::added);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Replaces the list of mirrors in one step, so that no reader sees a part of the change. A
     * mirror that is left out is marked as removed before listeners end what uses it: a user that
     * registers first and looks at the mark afterward is either found or sees the mark.
     */
    public void update(List<Mirror> next) {
        lock.lock();
        try {
            List<Mirror> before = all;
            List<Mirror> after = List.copyOf(next);
            List<Mirror> added = after.stream().filter(mirror -> !before.contains(mirror)).toList();
            List<Mirror> removed =
                    before.stream().filter(mirror -> !after.contains(mirror)).toList();
            added.forEach(mirror -> listeners.forEach(listener -> listener.added(mirror)));
            all = after;
            removed.forEach(mirror -> mirror.remove());
            removed.forEach(mirror -> listeners.forEach(listener -> listener.removed(mirror)));
        } finally {
            lock.unlock();
        }
    }
}
