package io.kubemirror.api;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A client that sends arbitrary bytes. */
public final class RawClient implements AutoCloseable {

    private final Socket socket;

    private RawClient(Socket socket) {
        this.socket = socket;
    }

    /** Connects. */
    public static RawClient to(int port) {
        return from("127.0.0.1", port);
    }

    /** Connects from an address of this machine. */
    public static RawClient from(String address, int port) {
        try {
            Socket socket = new Socket();
            socket.bind(new InetSocketAddress(InetAddress.ofLiteral(address), 0));
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return new RawClient(socket);
        } catch (IOException failed) {
            throw new AssertionError(address, failed);
        }
    }

    /** Sends a text as it is. */
    public RawClient send(String text) {
        try {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
            return this;
        } catch (IOException failed) {
            throw new AssertionError(text, failed);
        }
    }

    /** Asks for a page. */
    public RawClient ask(String path) {
        return send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nUser-Agent: test\r\n\r\n");
    }

    /** The next line, without its end; empty at the end of the headers. */
    public String line() {
        StringBuilder line = new StringBuilder();
        try {
            InputStream in = socket.getInputStream();
            for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
                line.append((char) next);
            }
        } catch (IOException failed) {
            throw new AssertionError(line.toString(), failed);
        }
        return line.toString().strip();
    }

    /** What comes until the server closes the connection, if only by breaking it. */
    public String untilClosed() {
        StringBuilder text = new StringBuilder();
        try {
            InputStream in = socket.getInputStream();
            for (int next = in.read(); next >= 0; next = in.read()) {
                text.append((char) next);
            }
        } catch (IOException broken) {
            return text.toString();
        }
        return text.toString();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }
}
