package io.kubemirror.load;

import module java.base;

import okhttp3.OkHttpClient;
import okhttp3.RequestBody;
import okhttp3.Response;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * A proxy that only copies requests and responses, made of the HTTP server and the HTTP client that
 * kubemirror uses. Shows how much of the time of a write or a first list belongs to these.
 */
final class PlainProxy implements AutoCloseable {

    /** The size of the buffer for a body, in bytes. */
    private static final int BUFFER = 64 * 1024;

    private final Process process;
    private final int port = Sidecar.freePort();

    /** Starts it in a process of its own, and waits until it listens. */
    PlainProxy(int upstream) {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        try {
            process =
                    new ProcessBuilder(
                                    java.toString(),
                                    "-XX:+UseSerialGC",
                                    // The image of kubemirror compiles with the first compiler
                                    // only.
                                    "-XX:TieredStopAtLevel=1",
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    PlainProxy.class.getName(),
                                    Integer.toString(port),
                                    Integer.toString(upstream))
                            .redirectErrorStream(true)
                            .redirectOutput(new File("target", "proxy.log"))
                            .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        side().awaitListening(process);
    }

    MeasuredServer side() {
        return new MeasuredServer("a proxy that only copies requests", port, process.pid());
    }

    @Override
    public void close() {
        process.destroy();
    }

    /** Copies until the process ends. The arguments are its port, and the port of the server. */
    public static void main(String[] args) throws Exception {
        QueuedThreadPool threads = new QueuedThreadPool();
        threads.setVirtualThreadsExecutor(VirtualThreads.getNamedVirtualThreadsExecutor("copy-"));
        Server server = new Server(threads);
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        connector.setPort(Integer.parseInt(args[0]));
        server.addConnector(connector);
        server.setHandler(new Copy(Integer.parseInt(args[1])));
        server.start();
        server.join();
    }

    private static final class Copy extends Handler.Abstract {

        private final OkHttpClient client = new OkHttpClient();
        private final int upstream;

        Copy(int upstream) {
            this.upstream = upstream;
        }

        @Override
        public boolean handle(
                Request request, org.eclipse.jetty.server.Response response, Callback callback)
                throws IOException {
            try (Response answer = client.newCall(copyOf(request)).execute()) {
                response.setStatus(answer.code());
                for (String name :
                        List.of("Content-Type", "Content-Encoding", "Audit-Id", "Date")) {
                    String value = answer.header(name);
                    if (value != null) {
                        response.getHeaders().put(name, value);
                    }
                }
                copy(answer.body().byteStream(), response, callback);
            }
            return true;
        }

        /** Sends a small body at once, and a large one as it arrives. */
        private static void copy(
                InputStream body, org.eclipse.jetty.server.Response response, Callback callback)
                throws IOException {
            byte[] buffer = body.readNBytes(BUFFER);
            if (buffer.length < BUFFER) {
                response.write(true, ByteBuffer.wrap(buffer), callback);
                return;
            }
            try (OutputStream client = Content.Sink.asOutputStream(response)) {
                for (int count = BUFFER; count >= 0; count = body.read(buffer)) {
                    client.write(buffer, 0, count);
                }
            }
            callback.succeeded();
        }

        private okhttp3.Request copyOf(Request request) throws IOException {
            okhttp3.Request.Builder copy =
                    new okhttp3.Request.Builder()
                            .url(
                                    "http://127.0.0.1:"
                                            + upstream
                                            + request.getHttpURI().getPathQuery())
                            // Otherwise OkHttp would ask for a compressed body, and decode it.
                            .header("Accept-Encoding", "identity");
            for (HttpHeader header :
                    List.of(
                            HttpHeader.ACCEPT,
                            HttpHeader.ACCEPT_ENCODING,
                            HttpHeader.CONTENT_TYPE)) {
                String value = request.getHeaders().get(header);
                if (value != null) {
                    copy.header(header.asString(), value);
                }
            }
            byte[] body = Content.Source.asInputStream(request).readAllBytes();
            boolean read = request.getMethod().equals("GET");
            return copy.method(request.getMethod(), read ? null : RequestBody.create(body, null))
                    .build();
        }
    }
}
