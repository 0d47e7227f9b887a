package io.kubemirror.api.encode;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.memory.MemoryBudget;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Compressed bodies that clients share which request the same document while it is being sent.
 *
 * <p>A lone client gets its body as it is compressed, and nothing is kept. If another one joins, it
 * compresses the document once more, into memory, for itself and all that follow. The bytes are
 * charged once and kept until the last of the clients has been sent its body, so a slow client
 * holds what it shares with others. No client waits for another one to read. Without memory, each
 * client compresses for itself.
 *
 * <p>Thread-safe.
 */
public final class SharedBodies {

    /** The size of the parts in which a body is kept, in bytes. */
    private static final int PART = 64 * 1024;

    private final MemoryBudget budget;
    private final Map<EntityTag, Body> bodies = new ConcurrentHashMap<>();

    /** Creates an empty set of bodies, which draws from the budget for responses. */
    public SharedBodies(ClientMemory memory) {
        this.budget = memory.responses();
    }

    /**
     * Joins the clients of a document. The caller must close what is returned when it has been sent
     * the document.
     *
     * @param tag identifies the bytes of the document
     */
    Body join(EntityTag tag) {
        return bodies.compute(
                tag, (_, present) -> joined(present == null ? new Body(tag) : present));
    }

    private static Body joined(Body body) {
        body.clients.incrementAndGet();
        return body;
    }

    /** The body of a document that at least one client is being sent. */
    final class Body implements AutoCloseable {

        private final EntityTag tag;

        /**
         * The number of clients. Changed within the computations of the map only, which exclude
         * each other; read without them, because the first client may as well not know of the
         * second.
         */
        private final AtomicInteger clients = new AtomicInteger();

        /** Guarded by the monitor, as are the others. */
        private @Nullable List<byte[]> parts;

        private int readers;

        private boolean refused;
        private long charged;

        private Body(EntityTag tag) {
            this.tag = tag;
        }

        /**
         * Returns the whole body, which must not be modified. Waits while another client writes it.
         *
         * @param body writes the compressed body if no other client has done so
         * @return null if the client is alone, or there is no memory
         */
        @Nullable List<byte[]> parts(JsonDocument body) {
            return clients.get() > 1 ? shared(body) : null;
        }

        private synchronized @Nullable List<byte[]> shared(JsonDocument body) {
            if (parts == null && !refused) {
                parts = write(body);
                refused = parts == null;
            }
            readers += parts == null ? 0 : 1;
            return parts;
        }

        /** Must be called by a client that got the parts, when it does not need them any more. */
        synchronized void release() {
            readers--;
            if (readers == 0) {
                parts = null;
                budget.release(charged);
            }
        }

        private @Nullable List<byte[]> write(JsonDocument body) {
            PartStream out = new PartStream();
            try (out) {
                body.write(out);
                out.end();
                charged = out.acquired;
                return out.written;
            } catch (IOException exhausted) {
                budget.release(out.acquired);
                return null;
            }
        }

        @Override
        public void close() {
            bodies.computeIfPresent(tag, (_, body) -> body.leave() ? null : body);
        }

        private boolean leave() {
            return clients.decrementAndGet() == 0;
        }
    }

    /** Keeps what is written, as long as there is memory for it. */
    private final class PartStream extends OutputStream {

        private final List<byte[]> written = new ArrayList<>();
        private byte[] part = {};
        private int count;
        private long acquired;

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            int from = offset;
            while (from < offset + length) {
                if (count == part.length) {
                    next();
                }
                int some = Math.min(offset + length - from, part.length - count);
                System.arraycopy(bytes, from, part, count, some);
                count += some;
                from += some;
            }
        }

        private void next() throws IOException {
            if (!budget.tryAcquire(PART)) {
                throw new IOException("not enough memory to share a body");
            }
            acquired += PART;
            part = new byte[PART];
            count = 0;
            written.add(part);
        }

        private void end() {
            if (count < part.length) {
                written.set(written.size() - 1, Arrays.copyOf(part, count));
            }
        }
    }
}
