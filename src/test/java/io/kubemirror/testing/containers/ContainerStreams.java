package io.kubemirror.testing.containers;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.testing.containers.ContainerServer.RawHead;

/** What the containers of a pod send and receive: WebSockets of kubectl, and logs. */
final class ContainerStreams {

    private static final int TEXT_LINES = 3;
    private static final int STDIN = 0;
    private static final int STDOUT = 1;
    private static final int STDERR = 2;
    private static final int STATUS = 3;
    private static final int CLOSE = 255;

    private ContainerStreams() {}

    /** The values of a query parameter. */
    private static List<String> values(RawHead head, String name) {
        String[] parts = head.target().split("\\?", 2);
        return Stream.of((parts.length > 1 ? parts[1] : "").split("&", -1))
                .filter(pair -> pair.startsWith(name + "="))
                .map(pair -> URLDecoder.decode(pair.substring(name.length() + 1), UTF_8))
                .toList();
    }

    /** Three lines at once, and after them one line each time that the client follows and waits. */
    static void log(RawHead head, InputStream in, OutputStream out) throws IOException {
        out.write(
                ContainerServer.lines(
                        "HTTP/1.1 200 OK",
                        "Content-Type: text/plain",
                        "Transfer-Encoding: chunked"));
        for (int i = 1; i <= TEXT_LINES; i++) {
            chunk(out, "line " + i + "\n");
        }
        if (values(head, "follow").contains("true")) {
            // A client that follows ends the connection, which this read waits for.
            chunk(out, "following\n");
            while (in.read() >= 0) {
                chunk(out, "unexpected\n");
            }
            return;
        }
        out.write(ContainerServer.text("0\r\n\r\n"));
    }

    static void chunk(OutputStream out, String text) throws IOException {
        out.write(
                ContainerServer.text(Integer.toHexString(text.length()) + "\r\n" + text + "\r\n"));
        out.flush();
    }

    /** Runs a command on this machine, by the protocol v5.channel.k8s.io. */
    static void exec(RawHead head, InputStream in, OutputStream out) throws IOException {
        WebSocketFrames frames = accept(head, in, out);
        List<String> command = values(head, "command");
        Process process = new ProcessBuilder(command.isEmpty() ? List.of("cat") : command).start();
        Thread input = Thread.ofVirtual().start(() -> input(frames, process));
        Thread errors =
                Thread.ofVirtual().start(() -> output(frames, STDERR, process.getErrorStream()));
        output(frames, STDOUT, process.getInputStream());
        try {
            errors.join();
            int code = process.waitFor();
            frames.send(STATUS, ContainerServer.text(status(code)));
            frames.close();
            input.join();
        } catch (InterruptedException stopped) {
            process.destroy();
        }
    }

    private static String status(int code) {
        return code == 0
                ? "{\"metadata\":{},\"status\":\"Success\"}"
                : "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"command terminated with"
                        + " non-zero exit code\",\"reason\":\"NonZeroExitCode\",\"details\":"
                        + "{\"causes\":[{\"reason\":\"ExitCode\",\"message\":\""
                        + code
                        + "\"}]}}";
    }

    private static void input(WebSocketFrames frames, Process process) {
        try (OutputStream stdin = process.getOutputStream()) {
            byte[] message = frames.next();
            while (message.length > 0 && (message[0] & 0xff) != CLOSE) {
                if (message[0] == STDIN) {
                    stdin.write(message, 1, message.length - 1);
                    stdin.flush();
                }
                message = frames.next();
            }
            if (message.length == 0) {
                process.destroy();
            }
        } catch (IOException over) {
            // The command does not read, or the client has gone.
        }
    }

    private static void output(WebSocketFrames frames, int channel, InputStream from) {
        byte[] buffer = new byte[8192];
        try {
            for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
                frames.send(channel, Arrays.copyOf(buffer, count));
            }
        } catch (IOException gone) {
            // The client has gone.
        }
    }

    /** Answers the handshake with the first protocol that the client offers. */
    private static WebSocketFrames accept(RawHead head, InputStream in, OutputStream out)
            throws IOException {
        String protocol = head.header("sec-websocket-protocol").split(",", -1)[0].strip();
        out.write(
                ContainerServer.text(
                        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                                + "Connection: Upgrade\r\nSec-WebSocket-Accept: "
                                + key(head.header("sec-websocket-key"))
                                + "\r\n"
                                + (protocol.isEmpty()
                                        ? ""
                                        : "Sec-WebSocket-Protocol: " + protocol + "\r\n")
                                + "\r\n"));
        out.flush();
        return new WebSocketFrames(in, out);
    }

    private static String key(String sent) {
        try {
            byte[] text = ContainerServer.text(sent + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
            return Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("SHA-1").digest(text));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
