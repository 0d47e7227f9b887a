package io.kubemirror.load;

import module java.base;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.unixdomain.server.UnixDomainServerConnector;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * A servlet of Jetty that sends the head of a response and keeps the request open, with the options
 * of kubemirror's JVM. Shows how much of the memory of a watch belongs to these.
 */
final class HeldRequests implements AutoCloseable {

    private final Process process;
    private final Path socket;

    /**
     * Starts it in a process of its own, and waits until it listens.
     *
     * @param options of the JVM
     * @param socket the Unix socket on which it listens
     */
    HeldRequests(List<String> options, Path socket) {
        this.socket = socket;
        try {
            Files.deleteIfExists(socket);
            process = ImageContents.start(options, HeldRequests.class, socket.toString());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        side().awaitListening(process);
    }

    MeasuredServer side() {
        return new MeasuredServer("a servlet that keeps requests open", 0, process.pid())
                .on(socket);
    }

    @Override
    public void close() {
        process.destroy();
    }

    /** Keeps requests open until the process ends. The argument is the path of its socket. */
    public static void main(String[] args) throws Exception {
        QueuedThreadPool threads = new QueuedThreadPool();
        threads.setVirtualThreadsExecutor(VirtualThreads.getNamedVirtualThreadsExecutor("held-"));
        Server server = new Server(threads);
        UnixDomainServerConnector connector = new UnixDomainServerConnector(server);
        connector.setUnixDomainPath(Path.of(args[0]));
        // An idle connection has a request that must not end.
        connector.setIdleTimeout(Duration.ofHours(1).toMillis());
        connector.setAcceptQueueSize(1_024);
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler();
        ServletHolder servlet = new ServletHolder(new Held());
        servlet.setAsyncSupported(true);
        context.addServlet(servlet, "/*");
        server.setHandler(context);
        server.start();
        server.join();
    }

    private static final class Held extends HttpServlet {

        private static final long serialVersionUID = 1L;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            AsyncContext held = request.startAsync();
            held.setTimeout(0);
            response.setContentType(FanOut.JSON);
            response.setHeader("Transfer-Encoding", "chunked");
            response.flushBuffer();
        }
    }
}
