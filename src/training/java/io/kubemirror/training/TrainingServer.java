package io.kubemirror.training;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

/**
 * As much of an API server as a mirror of pods and config maps needs: discovery, lists, watches
 * with initial events, and single objects. An object changes every 5 ms.
 *
 * <p>Safe for use by any thread.
 */
final class TrainingServer implements AutoCloseable {

    /** The objects of each resource. */
    static final int OBJECTS = 1_000;

    private static final Duration INTERVAL = Duration.ofMillis(5);

    private static final String JSON = "application/json";

    private static final String DISCOVERY =
            JSON + ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

    private final ServerSocket listener;
    private final ScheduledExecutorService changer = Executors.newSingleThreadScheduledExecutor();

    /** The revision of each pod and then of each config map. Guarded by the monitor. */
    private final long[] revisions = new long[2 * OBJECTS];

    /** The objects that have changed, in order. Guarded by the monitor. */
    private final List<Integer> changes = new ArrayList<>();

    TrainingServer() throws IOException {
        listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        for (int i = 0; i < revisions.length; i++) {
            change(i);
        }
        var _ =
                changer.scheduleAtFixedRate(
                        this::changeNext, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        Thread.ofPlatform().daemon().name("accept").start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private synchronized void change(int object) {
        changes.add(object);
        revisions[object] = changes.size();
        notifyAll();
    }

    /** Changes a pod, and then a config map. */
    private synchronized void changeNext() {
        int i = changes.size();
        change(i % 2 * OBJECTS + i / 2 % OBJECTS);
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                Thread.ofPlatform().daemon().start(() -> serve(socket));
            }
        } catch (IOException _) {
            // close() closes the listener.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            OutputStream out = new BufferedOutputStream(socket.getOutputStream(), 1 << 16);
            for (String head = head(in); !head.isEmpty(); head = head(in)) {
                answer(head, out);
            }
        } catch (IOException _) {
            // The client has gone.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the head of a request, which has no body; empty at the end of the connection. */
    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                return "";
            }
            head.append((char) next);
        }
        return head.toString();
    }

    private void answer(String head, OutputStream out) throws IOException, InterruptedException {
        String target = head.split(" ", 3)[1];
        String path = target.split("\\?", 2)[0];
        int first = path.contains("/configmaps") ? OBJECTS : 0;
        boolean zipped = head.toLowerCase(Locale.ROOT).contains("gzip");
        if (path.equals("/version")) {
            send(out, 200, JSON, "{\"major\":\"1\",\"minor\":\"34\",\"gitVersion\":\"v1.34.0\"}");
        } else if (path.equals("/api") || path.equals("/apis")) {
            send(out, 200, DISCOVERY, discovery(path.equals("/api") ? TYPES : ""));
        } else if (!path.endsWith("/pods") && !path.endsWith("/configmaps")) {
            int object = object(path);
            send(out, object < 0 ? 404 : 200, JSON, object < 0 ? MISSING : json(object));
        } else if (target.contains("watch=")) {
            watch(target, first, out);
        } else if (zipped) {
            sendZipped(out, list(target, first));
        } else {
            send(out, 200, JSON, list(target, first));
        }
    }

    private static final String MISSING =
            """
            {"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}\
            """;

    private static final String TYPES =
            """
            {"metadata":{},"versions":[{"version":"v1","resources":[
            {"resource":"pods","responseKind":{"group":"","version":"v1","kind":"Pod"},
            "scope":"Namespaced","singularResource":"pod","shortNames":["po"],"categories":["all"],
            "verbs":["get","list","watch"]},
            {"resource":"configmaps","responseKind":{"group":"","version":"v1","kind":"ConfigMap"},
            "scope":"Namespaced","singularResource":"configmap","shortNames":["cm"],
            "verbs":["get","list","watch"]}]}]}\
            """;

    private static String discovery(String groups) {
        return """
        {"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},\
        "items":[%s]}\
        """
                .formatted(groups);
    }

    /** Returns the object of a path, negative if there is none. */
    private static int object(String path) {
        int number = path.lastIndexOf('-');
        return number < 0 || !path.contains("/namespaces/")
                ? -1
                : Integer.parseInt(path.substring(number + 1));
    }

    private synchronized String json(int object) {
        boolean pod = object < OBJECTS;
        String metadata =
                """
                "metadata":{"name":"%s-%d","namespace":"ns%d","uid":"%d","resourceVersion":"%d",\
                "creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"a%d","tier":"web"},\
                "managedFields":[{"manager":"kubectl","operation":"Update","apiVersion":"v1",\
                "fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{}}}]}\
                """
                        .formatted(
                                pod ? "pod" : "map",
                                object,
                                object % 10,
                                object,
                                revisions[object],
                                object % 7);
        return pod
                ? """
                {"kind":"Pod","apiVersion":"v1",%s,"spec":{"nodeName":"node%d","containers":\
                [{"name":"main","image":"nginx"}]},"status":{"phase":"Running","podIP":\
                "127.0.1.%d","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":\
                [{"name":"main","ready":true,"restartCount":0,"state":{"running":\
                {"startedAt":"2026-01-01T00:00:00Z"}}}]}}\
                """
                        .formatted(metadata, object % 20, object % 200)
                : """
                {"kind":"ConfigMap","apiVersion":"v1",%s,"data":{"key":"%s"}}\
                """
                        .formatted(metadata, "x".repeat(700));
    }

    /** All objects of a resource from one moment, or one if the request is limited to that. */
    private synchronized String list(String target, int first) {
        int count = target.contains("limit=1&") || target.endsWith("limit=1") ? 1 : OBJECTS;
        String items =
                IntStream.range(first, first + count)
                        .mapToObj(this::json)
                        .collect(Collectors.joining(","));
        return """
        {"kind":"%s","apiVersion":"v1","metadata":{"resourceVersion":"%d"%s},"items":[%s]}\
        """
                .formatted(
                        first == 0 ? "PodList" : "ConfigMapList",
                        changes.size(),
                        count == 1 ? ",\"continue\":\"x\"" : "",
                        items);
    }

    /** Sends all objects if the request asks for them, and then changes until it is closed. */
    private void watch(String target, int first, OutputStream out)
            throws IOException, InterruptedException {
        out.write(head(200, JSON, "Transfer-Encoding: chunked").getBytes(UTF_8));
        int position = parameter(target);
        if (target.contains("sendInitialEvents=true")) {
            position = initialEvents(first, out);
        }
        out.flush();
        while (true) {
            int object = changed(position++);
            if (object >= first && object < first + OBJECTS) {
                chunk(out, event("MODIFIED", json(object)));
                out.flush();
            }
        }
    }

    /** Returns the revision from which a watch continues. */
    private static int parameter(String target) {
        String[] parts = target.split("resourceVersion=", 2);
        String digits = parts.length < 2 ? "" : parts[1].split("&", 2)[0];
        return digits.isEmpty() ? 0 : Integer.parseInt(digits);
    }

    private synchronized int initialEvents(int first, OutputStream out) throws IOException {
        for (int i = first; i < first + OBJECTS; i++) {
            chunk(out, event("ADDED", json(i)));
        }
        String bookmark =
                """
                {"kind":"%s","apiVersion":"v1","metadata":{"resourceVersion":"%d","annotations":\
                {"k8s.io/initial-events-end":"true"}}}\
                """
                        .formatted(first == 0 ? "Pod" : "ConfigMap", changes.size());
        chunk(out, event("BOOKMARK", bookmark));
        return changes.size();
    }

    private synchronized int changed(int position) throws InterruptedException {
        while (position >= changes.size()) {
            wait();
        }
        return changes.get(position);
    }

    private static String event(String type, String object) {
        return "{\"type\":\"%s\",\"object\":%s}\n".formatted(type, object);
    }

    private static void chunk(OutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(UTF_8);
        out.write((Integer.toHexString(bytes.length) + "\r\n").getBytes(UTF_8));
        out.write(bytes);
        out.write("\r\n".getBytes(UTF_8));
    }

    private static void send(OutputStream out, int code, String type, String body)
            throws IOException {
        byte[] bytes = body.getBytes(UTF_8);
        out.write(head(code, type, "Content-Length: " + bytes.length).getBytes(UTF_8));
        out.write(bytes);
        out.flush();
    }

    private static void sendZipped(OutputStream out, String body) throws IOException {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(zipped)) {
            gzip.write(body.getBytes(UTF_8));
        }
        String length = "Content-Encoding: gzip\r\nContent-Length: " + zipped.size();
        out.write(head(200, JSON, length).getBytes(UTF_8));
        zipped.writeTo(out);
        out.flush();
    }

    private static String head(int code, String type, String more) {
        return "HTTP/1.1 %d x\r\nContent-Type: %s\r\n%s\r\n\r\n".formatted(code, type, more);
    }

    @Override
    public void close() throws IOException {
        changer.shutdownNow();
        listener.close();
    }
}
