package io.kubemirror.api.encode;

import module java.base;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.model.MemoryBudget;

import org.jspecify.annotations.Nullable;

/**
 * Encoded bytes that are shared by clients that request the same ones while they are being sent:
 * lists and tables, compressed or not, and the initial events of watches.
 *
 * <p>A lone client encodes for itself, and nothing is kept. If another one joins, what it encodes
 * is kept for all that follow: each part is encoded by the client that needs it first, charged
 * once, and released with the last of the clients. No client waits for another one to read.
 *
 * <p>When memory is short, the oldest part is dropped. A client that has not read it continues
 * alone where it is, and a client that comes later begins another body. A client holds a position
 * and what it is writing.
 *
 * <p>Thread-safe, except for what one client gets.
 */
public final class SharedBodies {

    /** The memory of a part beyond its bytes, in bytes. */
    private static final long PART = 32;

    private final MemoryBudget budget;
    private final Map<Object, Body> bodies = new ConcurrentHashMap<>();

    /** Creates an empty set of bodies, which draws at most half of the budget for responses. */
    public SharedBodies(ClientMemory memory) {
        MemoryBudget responses = memory.responses();
        this.budget = responses.upTo(responses.limit() / 2);
    }

    /** Bytes that are encoded in parts, each when it is needed. The parts must not be modified. */
    public interface Parts extends AutoCloseable {

        /** Returns the next part, null at the end. */
        byte @Nullable [] next();

        /**
         * Passes on parts until the receiver wants no more, or there are no more.
         *
         * @param receiver takes a part, and returns whether it wants another one
         * @return whether there may be more parts
         */
        default boolean take(Predicate<byte[]> receiver) {
            byte[] part = next();
            while (part != null && receiver.test(part)) {
                part = next();
            }
            return part != null;
        }

        /** Leaves out parts, which must exist. */
        default void skip(int parts) {
            for (int i = 0; i < parts; i++) {
                next();
            }
        }

        /** Releases what the encoding of further parts would need. */
        @Override
        default void close() {}
    }

    /**
     * Joins the clients of some bytes. The caller must close what is returned when it has been sent
     * them.
     *
     * @param key identifies the bytes
     * @param encoder begins to encode the bytes if no other client has done so, for any of the
     *     clients, with the same parts each time and on any thread; returns null if there is no
     *     memory for it
     */
    Share join(Object key, Supplier<@Nullable Parts> encoder) {
        Body begun = new Body(key, encoder);
        Body joined =
                bodies.compute(
                        key, (_, present) -> present != null && present.admit() ? present : begun);
        return new Share(joined, joined == begun);
    }

    /** The bytes for one client. Used by one thread at a time. */
    static final class Share implements Parts {

        private final Body body;

        /** Whether it was the first, which encodes for itself. */
        private final boolean first;

        /** What it encodes for itself, null as long as it shares. */
        private @Nullable Parts own;

        private int position;
        private boolean closed;

        private Share(Body body, boolean first) {
            this.body = body;
            this.first = first;
        }

        /** Returns whether the client can share what others encode. */
        boolean isShared() {
            return !first && body.keeps(position);
        }

        /** Enters the monitor once, because many clients take the same parts at the same time. */
        @Override
        public boolean take(Predicate<byte[]> receiver) {
            if (!isShared()) {
                return Parts.super.take(receiver);
            }
            synchronized (body) {
                return Parts.super.take(receiver);
            }
        }

        @Override
        public byte @Nullable [] next() {
            if (own == null && !first) {
                synchronized (body) {
                    if (body.keeps(position)) {
                        return body.part(position++);
                    }
                }
            }
            if (own == null) {
                own = body.encoder.get();
                if (own == null) {
                    throw new UncheckedIOException(
                            new IOException("not enough memory to encode a response alone"));
                }
                own.skip(position);
            }
            return own.next();
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                if (own != null) {
                    own.close();
                }
                body.leave();
            }
        }
    }

    /** What at least one client is being sent. Fields are guarded by the monitor unless noted. */
    private final class Body {

        private final Object key;
        private final Supplier<@Nullable Parts> encoder;

        /** The number of clients; a body that had none gets none any more. Atomic. */
        private final AtomicInteger clients = new AtomicInteger(1);

        /**
         * Whether no part has been dropped. Volatile: a client that joins nevertheless continues
         * alone.
         */
        private volatile boolean whole = true;

        private @Nullable Parts source;

        /** The parts, null for those that have been dropped: the first ones. */
        private final List<byte @Nullable []> parts = new ArrayList<>();

        private int dropped;
        private long charged;

        private Body(Object key, Supplier<@Nullable Parts> encoder) {
            this.key = key;
            this.encoder = encoder;
        }

        /** Counts another client, unless this body can serve none from its beginning. */
        private boolean admit() {
            return whole && clients.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
        }

        /** Returns whether the part at a position can be had here, or the end of all parts. */
        private synchronized boolean keeps(int position) {
            if (source == null) {
                source = encoder.get();
            }
            return source != null && position >= dropped;
        }

        /** Returns the part at a position that is kept, null at the end. */
        private synchronized byte @Nullable [] part(int position) {
            if (position < parts.size()) {
                return parts.get(position);
            }
            byte[] encoded = source == null ? null : source.next();
            if (encoded != null) {
                keep(encoded);
            }
            return encoded;
        }

        private void keep(byte[] part) {
            long size = part.length + PART;
            boolean fits = budget.tryAcquire(size);
            while (!fits && dropped < parts.size()) {
                drop();
                fits = budget.tryAcquire(size);
            }
            if (fits) {
                charged += size;
                parts.add(part);
            } else {
                parts.add(null);
                dropped++;
                whole = false;
            }
        }

        private void drop() {
            byte[] oldest = parts.set(dropped, null);
            dropped++;
            whole = false;
            long size = (oldest == null ? 0 : oldest.length) + PART;
            charged -= size;
            budget.release(size);
        }

        private void leave() {
            if (clients.decrementAndGet() == 0) {
                bodies.remove(key, this);
                free();
            }
        }

        private synchronized void free() {
            budget.release(charged);
            charged = 0;
            parts.clear();
            if (source != null) {
                source.close();
            }
        }
    }
}
