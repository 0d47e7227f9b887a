package io.kubemirror.mirror;

import static java.util.stream.Collectors.groupingBy;

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
    private volatile Content content = new Content(List.of(), Map.of());

    /**
     * The mirrors, and those of each plural in the same order. The name of a mirror does not
     * change, and its type has the same plural. Immutable.
     */
    private record Content(List<Mirror> all, Map<String, List<Mirror>> named) {

        static Content of(List<Mirror> mirrors) {
            return new Content(
                    List.copyOf(mirrors),
                    mirrors.stream()
                            .collect(groupingBy(mirror -> mirror.scope().resource().plural())));
        }
    }

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
        return content.all();
    }

    /**
     * Returns the present mirrors of resources with a plural, of whatever group, in the order of
     * the configuration. Takes the same time however many others there are.
     */
    public List<Mirror> named(String plural) {
        return content.named().getOrDefault(plural, List.of());
    }

    /** Returns the present mirrors, in the order of the configuration. */
    public Stream<Mirror> stream() {
        return content.all().stream();
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
            content.all().forEach(listener::added);
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
            List<Mirror> before = content.all();
            Content changed = Content.of(next);
            List<Mirror> after = changed.all();
            List<Mirror> added = after.stream().filter(mirror -> !before.contains(mirror)).toList();
            List<Mirror> removed =
                    before.stream().filter(mirror -> !after.contains(mirror)).toList();
            added.forEach(mirror -> listeners.forEach(listener -> listener.added(mirror)));
            content = changed;
            removed.forEach(mirror -> mirror.remove());
            removed.forEach(mirror -> listeners.forEach(listener -> listener.removed(mirror)));
        } finally {
            lock.unlock();
        }
    }
}
