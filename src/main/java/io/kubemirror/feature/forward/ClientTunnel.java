package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.feature.forward.PassThrough.Services;
import io.kubemirror.kube.PassThroughClient.PassedResponse;
import io.kubemirror.model.MemoryBudget;

import org.apache.commons.io.function.IORunnable;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's connection after a change of its protocol: every byte is passed on in both directions,
 * whatever it means (WebSocket, SPDY).
 *
 * <p>Each direction has a thread that copies one buffer at a time, so a side that does not read
 * stops the other one. A side that ends its direction may still receive. Whatever else ends, ends
 * both connections.
 */
final class ClientTunnel extends AbstractConnection implements Connection.UpgradeTo {

    private static final Logger log = LoggerFactory.getLogger(ClientTunnel.class);

    /** The size of a buffer, in bytes. */
    private static final int BUFFER = 16 * 1024;

    /** How long a client may take to close the connection after the server has. */
    private static final Duration LINGER = Duration.ofSeconds(30);

    private static final Executor THREADS = task -> Thread.ofVirtual().name("tunnel").start(task);

    private final PassedResponse server;
    private final OutputStream upload;
    private final Runnable ended;
    private final AtomicBoolean over = new AtomicBoolean();

    /** The directions that have not ended. */
    private final AtomicInteger open = new AtomicInteger(2);

    /**
     * What has arrived after the handshake and before the upgrade. Written before the threads
     * start.
     */
    private byte[] early = {};

    /**
     * Answers a request to change the protocol. Jetty opens the tunnel after the response.
     *
     * @param registered receives what ends the tunnel, which may take any time
     * @throws Rejection if the process shuts down, or there is no memory
     */
    static void open(
            Exchange exchange,
            Services services,
            PassedResponse response,
            OutputStream upload,
            Consumer<Runnable> registered)
            throws Rejection {
        MemoryBudget memory = exchange.memory().responses();
        if (!services.open().begin()) {
            response.close();
            throw new Rejection(RequestTracker.shuttingDown());
        }
        if (!memory.tryAcquire(PassThrough.CHARGE)) {
            services.open().end();
            response.close();
            throw new Rejection(StatusErrors.outOfMemory());
        }
        Runnable cancel = response::close;
        ClientTunnel opened =
                new ClientTunnel(
                        Exchange.endPoint(exchange.request()),
                        response,
                        upload,
                        () -> {
                            services.open().remove(cancel);
                            memory.release(PassThrough.CHARGE);
                            services.open().end();
                        });
        registered.accept(cancel);
        opened.upgrade(exchange, response);
    }

    private void upgrade(Exchange exchange, PassedResponse response) {
        ServletContextRequest core =
                ServletContextRequest.getServletContextRequest(exchange.request());
        Request.addCompletionListener(
                core,
                failure -> {
                    if (failure != null) {
                        end();
                    }
                });
        Response client = core.getServletContextResponse();
        client.setStatus(response.code());
        ForwardedHeaders.ofResponse(response.headers())
                .forEach((name, values) -> client.getHeaders().put(name, values));
        client.getHeaders().put("Connection", "Upgrade");
        client.getHeaders().put("Upgrade", PassedExchange.first(response, "Upgrade"));
        client.getHeaders().put(StalenessPolicy.STATE, "passed");
        core.setAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE, this);
        client.write(true, null, Callback.NOOP);
    }

    /**
     * Creates a tunnel that begins when Jetty opens it.
     *
     * @param ended called once, when the tunnel has ended or could not begin
     */
    private ClientTunnel(
            EndPoint client, PassedResponse server, OutputStream upload, Runnable ended) {
        super(client, THREADS);
        this.server = server;
        this.upload = upload;
        this.ended = ended;
    }

    @Override
    public void onUpgradeTo(@Nullable ByteBuffer unread) {
        early = unread == null ? early : BufferUtil.toArray(unread);
        BufferUtil.clear(unread);
    }

    @Override
    public void onOpen() {
        super.onOpen();
        getEndPoint().setIdleTimeout(PassThrough.STREAMING.toMillis());
        THREADS.execute(() -> copy(this::upload));
        THREADS.execute(() -> copy(this::download));
    }

    /** Input is awaited by the thread that copies it. */
    @Override
    public void onFillable() {}

    @Override
    public void onClose(@Nullable Throwable cause) {
        super.onClose(cause);
        end();
    }

    /** Ends both directions. May be called more than once. */
    void end() {
        if (over.compareAndSet(false, true)) {
            server.close();
            getEndPoint().close();
            ended.run();
        }
    }

    private void copy(IORunnable direction) {
        try {
            direction.run();
            if (open.decrementAndGet() == 0) {
                end();
            }
        } catch (IOException | RuntimeException broken) {
            log.debug("A tunnel ended: {}", broken.toString());
            end();
        }
    }

    /**
     * Closes the output also after a failure: OkHttp counts the connection as in use until then.
     */
    private void upload() throws IOException {
        try (OutputStream output = upload) {
            output.write(early);
            output.flush();
            ByteBuffer buffer = BufferUtil.allocate(BUFFER);
            while (fill(buffer)) {
                output.write(
                        buffer.array(),
                        buffer.arrayOffset() + buffer.position(),
                        buffer.remaining());
                output.flush();
            }
        }
    }

    /** Reads what has arrived, waiting for it. Returns whether there is any. */
    private boolean fill(ByteBuffer buffer) throws IOException {
        BufferUtil.clear(buffer);
        int count = getEndPoint().fill(buffer);
        while (count == 0) {
            try (Blocker.Callback arrived = Blocker.callback()) {
                getEndPoint().fillInterested(arrived);
                arrived.block();
            }
            count = getEndPoint().fill(buffer);
        }
        return count > 0;
    }

    private void download() throws IOException {
        try (InputStream input = server.body()) {
            byte[] buffer = new byte[BUFFER];
            int count = input.read(buffer);
            while (count >= 0) {
                Content.Sink.write(getEndPoint(), false, ByteBuffer.wrap(buffer, 0, count));
                count = input.read(buffer);
            }
        }
        getEndPoint().shutdownOutput();
        getEndPoint().setIdleTimeout(LINGER.toMillis());
    }
}
