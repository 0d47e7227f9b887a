package io.kubemirror.clients;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import module java.base;

import io.kubemirror.testing.LoopbackServer;
import io.kubemirror.testing.Unchecked;

/**
 * A TCP relay between one client and its server. The address of the client's end stays the same
 * while the server's end is disconnected or leads to another port. All traffic is recorded.
 */
public final class TcpRelay implements AutoCloseable {

    private static final int NOWHERE = 0;
    private static final String LAST_CHUNK = "0\r\n\r\n";

    private final LoopbackServer listener =
            new LoopbackServer(client -> new RelayedConnection(client).serve());
    private final Set<RelayedConnection> connections = ConcurrentHashMap.newKeySet();
    private final Queue<String> losses = new ConcurrentLinkedQueue<>();
    private final OutputLines asked = new OutputLines();
    private final OutputLines answered = new OutputLines();
    private int port = NOWHERE;

    /** Returns the address that the client connects to. */
    public URI url() {
        return listener.url();
    }

    /** Directs connections to a port of this machine, including those that wait. */
    public synchronized void lead(int to) {
        port = to;
        notifyAll();
    }

    /** Breaks all connections. New ones wait until there is a port to connect to. */
    void cut() {
        lead(NOWHERE);
        connections.forEach(RelayedConnection::cut);
    }

    /** Like {@link #cut}, but responses end cleanly, as if the server had ended them. */
    void end() {
        lead(NOWHERE);
        connections.forEach(RelayedConnection::end);
    }

    /** Drops the next request that contains the text, so that it gets no response. */
    void lose(String part) {
        losses.add(part);
    }

    /**
     * What has been read from clients so far, as it was read. A request begins with a piece of its
     * own unless the client sends it before the previous one is answered.
     */
    public List<String> pieces() {
        return asked.all();
    }

    /** All requests so far. */
    String asked() {
        return String.join("", asked.all());
    }

    /** Waits for a matching request, and returns whether it has arrived. */
    boolean awaitAsked(Predicate<String> seen) {
        return asked.await(pieces -> seen.test(String.join("", pieces)));
    }

    /** All answers so far. */
    String answered() {
        return String.join("", answered.all());
    }

    /**
     * Waits up to a minute until a condition of all responses is true, and returns whether it is.
     */
    boolean awaitAnswered(Predicate<String> seen) {
        return answered.await(texts -> seen.test(String.join("", texts)));
    }

    /** Waits until there is a port to connect to, and returns it. */
    private synchronized int awaitLead() throws InterruptedException {
        while (port == NOWHERE) {
            wait();
        }
        return port;
    }

    /** One connection of the client. */
    private final class RelayedConnection {

        private final Socket client;
        private final StringBuilder answers = new StringBuilder();

        RelayedConnection(Socket client) {
            this.client = client;
            connections.add(this);
        }

        void serve() throws IOException, InterruptedException {
            try (Socket server = new Socket(InetAddress.getLoopbackAddress(), awaitLead())) {
                var _ = Thread.ofVirtual().start(() -> carryRequests(server));
                carryAnswers(server.getInputStream(), client.getOutputStream());
            } finally {
                connections.remove(this);
            }
        }

        private void carryRequests(Socket server) {
            try (server) {
                InputStream in = client.getInputStream();
                byte[] bytes = new byte[8192];
                boolean lost = false;
                for (int size = in.read(bytes); size >= 0; size = in.read(bytes)) {
                    String read = new String(bytes, 0, size, ISO_8859_1);
                    lost |= isLost(read);
                    asked.add(read);
                    if (!lost) {
                        server.getOutputStream().write(bytes, 0, size);
                    }
                }
            } catch (IOException e) {
                // The thread that relays the responses sees it too.
            }
        }

        private void carryAnswers(InputStream in, OutputStream out) throws IOException {
            byte[] bytes = new byte[8192];
            for (int size = in.read(bytes); size >= 0; size = in.read(bytes)) {
                carry(new String(bytes, 0, size, ISO_8859_1), out);
            }
        }

        /** Relays a part of a response. */
        private synchronized void carry(String read, OutputStream out) throws IOException {
            answers.append(read);
            answered.add(read);
            out.write(read.getBytes(ISO_8859_1));
        }

        void cut() {
            Unchecked.run(client::close);
        }

        /** Ends the response as if kubemirror had ended it. */
        synchronized void end() {
            try (client) {
                String answer = answers.substring(Math.max(0, answers.lastIndexOf("HTTP/1.1 ")));
                if (answer.contains("Transfer-Encoding: chunked") && !answer.endsWith(LAST_CHUNK)) {
                    client.getOutputStream().write(LAST_CHUNK.getBytes(ISO_8859_1));
                }
            } catch (IOException e) {
                // The client was faster.
            }
        }
    }

    private boolean isLost(String request) {
        String part = losses.peek();
        return part != null && request.contains(part) && losses.remove(part);
    }

    @Override
    public void close() {
        cut();
        listener.close();
    }
}
