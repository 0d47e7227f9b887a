package io.kubemirror.web;

import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * The frames of a watch as Jetty frames them, where the protocol has no chunks.
 *
 * @param response whose headers have been sent
 */
record ResponseSink(Response response) implements Sink {

    @Override
    public boolean send(Portion portion, Consumer<@Nullable IOException> later) {
        ByteBuffer bytes = ByteBuffer.allocate(portion.bytes());
        portion.frames().forEach(bytes::put);
        response.write(
                false,
                bytes.flip(),
                Callback.from(
                        Callback.InvocationType.NON_BLOCKING,
                        () -> later.accept(null),
                        failure -> later.accept(new IOException("the client is gone", failure))));
        return false;
    }
}
