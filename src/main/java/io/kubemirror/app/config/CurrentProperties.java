package io.kubemirror.app.config;

import module java.base;

/**
 * The configuration in force, which a reload replaces.
 *
 * <p>A user of a part of it, or of something that is made from it, gets a supplier of the present
 * value. What cannot be made from a configuration is a mistake in it: at the start, where the
 * exception ends the start, and in a reload, which then changes nothing.
 *
 * <p>Any thread may read. One thread at a time replaces.
 */
public final class CurrentProperties {

    private final List<Part<?, ?>> parts = new CopyOnWriteArrayList<>();
    private final List<Listener<?>> listeners = new CopyOnWriteArrayList<>();
    private volatile BoundRecords records;

    /** Creates the configuration of the start. */
    public CurrentProperties(BoundRecords records) {
        this.records = records;
    }

    /** Returns the configuration in force. */
    public BoundRecords records() {
        return records;
    }

    /**
     * Returns the record of a type that is in force.
     *
     * @param type annotated with {@code @ConfigurationProperties}
     */
    public <R extends Record> R get(Class<R> type) {
        return records.get(type);
    }

    /**
     * Returns a supplier of a part of the configuration.
     *
     * @throws RuntimeException if there is a mistake in this part
     */
    public <T> Supplier<T> part(Function<BoundRecords, T> part) {
        return part(part, Function.identity());
    }

    /**
     * Returns a supplier of something that is made from a part of the configuration, and made again
     * only when this part has another value.
     *
     * @param made makes it; must not have an effect on anything else
     * @throws RuntimeException if there is a mistake in this part
     */
    public <P, T> Supplier<T> part(Function<BoundRecords, P> part, Function<P, T> made) {
        Part<P, T> added = new Part<>(part, made, records);
        parts.add(added);
        return added;
    }

    /**
     * Adds a listener that learns when another value of a part of the configuration is in force:
     * that before and that now, on the thread that replaces the configuration. All parts are in
     * force by then. One that fails keeps no other from learning, and learns again with the next
     * replacement, also if that changes nothing else.
     */
    public <P> void listen(Function<BoundRecords, P> part, BiConsumer<P, P> changed) {
        listeners.add(new Listener<>(part, changed, part.apply(records)));
    }

    /** Thrown when the configuration is in force, but a listener has failed. */
    public static final class IncompleteException extends RuntimeException {

        @Serial private static final long serialVersionUID = 1;

        private final String kind;

        private IncompleteException(Throwable failure) {
            super(failure);
            this.kind = failure.getClass().getSimpleName();
        }

        /** Returns the name of the class of the failure, whose message may contain a secret. */
        public String kind() {
            return kind;
        }
    }

    /** Used by the thread that replaces. */
    private static final class Listener<P> {

        private final Function<BoundRecords, P> part;
        private final BiConsumer<P, P> changed;

        /** The value that it has learned of without a failure. */
        private P learned;

        Listener(Function<BoundRecords, P> part, BiConsumer<P, P> changed, P first) {
            this.part = part;
            this.changed = changed;
            this.learned = first;
        }

        void replaced(BoundRecords now) {
            P present = part.apply(now);
            if (!Objects.equals(learned, present)) {
                changed.accept(learned, present);
                learned = present;
            }
        }
    }

    /**
     * Makes all parts from another configuration.
     *
     * @return puts the configuration and its parts in force, and tells the listeners; throws an
     *     {@link IncompleteException} if a listener fails
     * @throws RuntimeException if there is a mistake in it; nothing has changed then
     */
    public Runnable prepare(BoundRecords next) {
        List<Runnable> changes = parts.stream().map(part -> part.prepare(next)).toList();
        return () -> replace(next, changes);
    }

    private void replace(BoundRecords next, List<Runnable> changes) {
        records = next;
        changes.forEach(Runnable::run);
        IncompleteException failed = null;
        for (Listener<?> listener : listeners) {
            try {
                listener.replaced(next);
            } catch (RuntimeException | Error failure) {
                failed = failed == null ? new IncompleteException(failure) : failed;
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    /** A part of the configuration together with what is made from it. */
    private static final class Part<P, T> implements Supplier<T> {

        private final Function<BoundRecords, P> part;
        private final Function<P, T> made;
        private volatile MadeFrom<P, T> present;

        private record MadeFrom<P, T>(P part, T value) {}

        Part(Function<BoundRecords, P> part, Function<P, T> made, BoundRecords first) {
            this.part = part;
            this.made = made;
            P value = part.apply(first);
            this.present = new MadeFrom<>(value, made.apply(value));
        }

        @Override
        public T get() {
            return present.value();
        }

        Runnable prepare(BoundRecords next) {
            P value = part.apply(next);
            MadeFrom<P, T> prepared =
                    Objects.equals(value, present.part())
                            ? present
                            : new MadeFrom<>(value, made.apply(value));
            return () -> replace(prepared);
        }

        private void replace(MadeFrom<P, T> prepared) {
            present = prepared;
        }
    }
}
