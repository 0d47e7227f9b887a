package io.kubemirror.api;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A client that sends arbitrary bytes. */
public final class RawClient implements AutoCloseable {

    private final Closeable socket;
    private final InputStream in;
    private final OutputStream out;

    private RawClient(Closeable socket, InputStream in, OutputStream out) {
        this.socket = socket;
        this.in = in;
        this.out = out;
    }

    /** Connects to a Unix socket. */
    public static RawClient to(Path path) {
        try {
            SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
            return new RawClient(
                    channel, Channels.newInputStream(channel), Channels.newOutputStream(channel));
        } catch (IOException failed) {
            throw new AssertionError(path.toString(), failed);
        }
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
            return new RawClient(socket, socket.getInputStream(), socket.getOutputStream());
        } catch (IOException failed) {
            throw new AssertionError(address, failed);
        }
    }

    /** Sends a text as it is. */
    public RawClient send(String text) {
        try {
            out.write(text.getBytes(StandardCharsets.UTF_8));
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
