package io.kubemirror.pairs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.LoopbackServer;

import tools.jackson.databind.JsonNode;

/**
 * What kubemirror takes for the API server: it passes requests on to the real one, reviews tokens
 * and permissions, which that one cannot, and causes faults. Each connection has one request.
 */
final class ServerFront implements AutoCloseable {

    /** The tokens that the server knows, and whose they are. */
    static final Map<String, String> USERS =
            Map.of(
                    Door.ADMIN,
                    "admin",
                    "t-reader",
                    "reader",
                    Door.LIMITED,
                    "limited",
                    "t-outsider",
                    "outsider");

    private static final Pattern TOKEN =
            Pattern.compile("(?im)^authorization: *bearer +(\\S+)\\r?$");
    private static final Pattern LENGTH = Pattern.compile("(?im)^content-length: *(\\d+)");
    private static final Pattern REVIEW =
            Pattern.compile("^POST /apis/[a-z.0-9/]+/(\\w+reviews)[ ?]");
    private static final Pattern WATCH = Pattern.compile("^GET [^ ]*[?&]watch=(true|1)");
    private static final Pattern RESUMED = Pattern.compile("^GET [^ ]*[?&]resourceVersion=[1-9]");

    private final URI server;
    private final SSLSocketFactory tls;
    private final LoopbackServer listener = new LoopbackServer(this::serve);
    private final Set<Socket> watches = ConcurrentHashMap.newKeySet();
    private final AtomicInteger expirations = new AtomicInteger();
    private final Gate requests = new Gate();
    private final Gate events = new Gate();

    /**
     * Starts to listen on a free port.
     *
     * @param server its address
     * @param tls sockets that trust it
     */
    ServerFront(URI server, SSLSocketFactory tls) {
        this.server = server;
        this.tls = tls;
    }

    int port() {
        return listener.port();
    }

    /** Holds what arrives, until it is opened. */
    Gate requests() {
        return requests;
    }

    /** Holds what watches and etcd send, until it is opened. */
    Gate events() {
        return events;
    }

    /** Breaks all watches. */
    void cutWatches() {
        watches.forEach(LoopbackServer::cut);
    }

    /** Breaks all watches, and answers as many that resume with 410. */
    void expireWatches(int count) {
        expirations.set(count);
        cutWatches();
    }

    /** The number of requests in progress. */
    int open() {
        return listener.connections();
    }

    private void serve(Socket client) throws IOException {
        try {
            String head = head(client.getInputStream());
            requests.pass();
            Matcher review = REVIEW.matcher(head);
            if (head.isEmpty()) {
                return;
            }
            if (review.find()) {
                review(review.group(1), head, client);
            } else if (isExpired(head)) {
                answer(client, 410, status(410, "Expired", "too old resource version"));
            } else {
                pass(head, client);
            }
        } finally {
            watches.remove(client);
        }
    }

    private boolean isExpired(String head) {
        return WATCH.matcher(head).find()
                && RESUMED.matcher(head).find()
                && expirations.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
    }

    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int last = 0;
        while (last != 0x0d0a0d0a) {
            int next = in.read();
            if (next < 0) {
                return "";
            }
            head.write(next);
            last = last << 8 | next;
        }
        return head.toString(ISO_8859_1);
    }

    private void pass(String head, Socket client) throws IOException {
        boolean watch = WATCH.matcher(head).find();
        try (Socket onward = tls.createSocket(server.getHost(), server.getPort())) {
            onward.setTcpNoDelay(true);
            String single = head.replaceAll("(?im)^connection:.*\r\n", "");
            String end = "Connection: close\r\n\r\n";
            onward.getOutputStream()
                    .write((single.substring(0, single.length() - 2) + end).getBytes(ISO_8859_1));
            if (watch) {
                watches.add(client);
            }
            // This ends the request to the server as well when the client leaves.
            LoopbackServer.passOn(client.getInputStream(), onward.getOutputStream());
            if (watch) {
                events.copy(onward.getInputStream(), client.getOutputStream());
            } else {
                onward.getInputStream().transferTo(client.getOutputStream());
            }
        }
    }

    /**
     * Passes connections on to etcd.
     *
     * @param answers lets pass what the server sends
     */
    static LoopbackServer relay(SocketAddress server, Gate answers) {
        return new LoopbackServer(
                client -> {
                    try (SocketChannel onward = SocketChannel.open(server)) {
                        LoopbackServer.passOn(
                                client.getInputStream(), Channels.newOutputStream(onward));
                        answers.copy(Channels.newInputStream(onward), client.getOutputStream());
                    }
                });
    }

    private static void review(String kind, String head, Socket client) throws IOException {
        Matcher length = LENGTH.matcher(head);
        int size = length.find() ? Integer.parseInt(length.group(1)) : 0;
        String body = new String(client.getInputStream().readNBytes(size), UTF_8);
        JsonNode spec = JsonTrees.parse(body).path("spec");
        Matcher token = TOKEN.matcher(head);
        Optional<String> user =
                token.find() ? Optional.ofNullable(USERS.get(token.group(1))) : Optional.empty();
        if (user.isEmpty()) {
            answer(client, 401, status(401, "Unauthorized", "Unauthorized"));
            return;
        }
        String status =
                switch (kind) {
                    case "tokenreviews" -> identity(spec.path("token").asString(""));
                    case "selfsubjectaccessreviews" -> decision(user.get(), spec);
                    default -> decision(spec.path("user").asString(""), spec);
                };
        answer(client, 201, body.replaceFirst("\\{", "{\"status\":" + status + ","));
    }

    private static String identity(String token) {
        String user = USERS.get(token);
        return user == null
                ? "{\"authenticated\":false}"
                : "{\"authenticated\":true,\"user\":{\"username\":\"%s\",\"uid\":\"%s\"}}"
                        .formatted(user, user);
    }

    /** The reader may read, and the limited in a namespace, like the policy of the server says. */
    private static String decision(String user, JsonNode spec) {
        String verb =
                spec.path("resourceAttributes").path("verb").asString("")
                        + spec.path("nonResourceAttributes").path("verb").asString("");
        boolean reads = Set.of("get", "list", "watch").contains(verb);
        String namespace = spec.path("resourceAttributes").path("namespace").asString("");
        boolean limited = namespace.equals(PairedServer.NAMESPACES.getFirst());
        return "{\"allowed\":%b}"
                .formatted(
                        user.equals("admin")
                                || (user.equals("reader") && reads)
                                || (user.equals("limited") && reads && limited));
    }

    private static String status(int code, String reason, String message) {
        return """
        {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"%s",\
        "reason":"%s","code":%d}\
        """
                .formatted(message, reason, code);
    }

    private static void answer(Socket client, int code, String json) throws IOException {
        byte[] body = json.getBytes(UTF_8);
        String head =
                "HTTP/1.1 %d -\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
                        .formatted(code, body.length);
        client.getOutputStream().write((head + "Connection: close\r\n\r\n").getBytes(ISO_8859_1));
        client.getOutputStream().write(body);
    }

    @Override
    public void close() {
        requests.open();
        events.open();
        listener.close();
    }

    /** Lets threads pass while it is open, as it is at first. */
    static final class Gate {

        private boolean closed;

        synchronized void close() {
            closed = true;
        }

        synchronized void open() {
            closed = false;
            notifyAll();
        }

        synchronized void pass() {
            try {
                while (closed) {
                    wait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Copies until one end is closed. */
        void copy(InputStream from, OutputStream to) throws IOException {
            byte[] bytes = new byte[16 * 1024];
            for (int size = from.read(bytes); size >= 0; size = from.read(bytes)) {
                pass();
                to.write(bytes, 0, size);
            }
        }
    }
}
