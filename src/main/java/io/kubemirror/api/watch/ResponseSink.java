package io.kubemirror.api.watch;

import io.kubemirror.memory.MemoryBudget;

import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Writes the frames of a watch through Jetty's response, for protocols without chunks.
 *
 * @param response the response, whose headers have been sent
 * @param budget the memory budget that pending writes are charged to
 */
record ResponseSink(Response response, MemoryBudget budget) implements FrameSink {

    @Override
    public boolean send(FrameBatch batch, Consumer<@Nullable IOException> later)
            throws IOException {
        int size = batch.bytes();
        ChunkSink.reserve(size, budget);
        ByteBuffer bytes = ByteBuffer.allocate(size);
        batch.frames().forEach(bytes::put);
        response.write(
                false,
                bytes.flip(),
                Callback.from(
                        Callback.InvocationType.NON_BLOCKING,
                        () -> finished(size, null, later),
                        failure -> finished(size, failure, later)));
        return false;
    }

    private void finished(
            int size, @Nullable Throwable failure, Consumer<@Nullable IOException> later) {
        budget.release(size);
        later.accept(failure == null ? null : new IOException("the client is gone", failure));
    }
}
