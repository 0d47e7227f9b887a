package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;

import okio.ByteString;

/** A member of etcd that answers each method by a script, for answers that a real one avoids. */
final class ScriptedEtcd implements AutoCloseable {

    static final String RANGE = "/etcdserverpb.KV/Range";
    static final String WATCH = "/etcdserverpb.Watch/Watch";

    private final Vertx vertx = Vertx.vertx();
    private final Map<String, Queue<ScriptedAnswer>> answers = new ConcurrentHashMap<>();

    /** The methods of the requests so far. */
    final Queue<String> requests = new ConcurrentLinkedQueue<>();

    private final HttpServer server;

    ScriptedEtcd() {
        this(new HttpServerOptions());
    }

    /** Starts a member with TLS. */
    ScriptedEtcd(HttpServerOptions options) {
        server = vertx.createHttpServer(options).requestHandler(this::handle);
        server.listen(0, "127.0.0.1").toCompletionStage().toCompletableFuture().join();
    }

    /** How a method is answered: messages, then the end of the stream, unless it stays open. */
    private record ScriptedAnswer(List<ByteString> messages, int code, String message) {

        static final int OPEN = -1;
        static final int CUT = -2;
        static final int PAGE = -3;
    }

    String url() {
        return "http://127.0.0.1:" + port();
    }

    int port() {
        return server.actualPort();
    }

    /** Answers the next calls of a method in order, and all further ones as the last of them. */
    private ScriptedEtcd answer(String method, ScriptedAnswer answer) {
        answers.computeIfAbsent(method, _ -> new ConcurrentLinkedQueue<>()).add(answer);
        return this;
    }

    ScriptedEtcd respond(String method, ProtobufWriter... messages) {
        return end(method, 0, "", messages);
    }

    ScriptedEtcd refuse(String method, int code, String message) {
        return end(method, code, message);
    }

    ScriptedEtcd end(String method, int code, String message, ProtobufWriter... messages) {
        return answer(method, new ScriptedAnswer(framed(messages), code, message));
    }

    /** Sends messages and keeps the stream open. */
    ScriptedEtcd stream(String method, ProtobufWriter... messages) {
        return answer(method, new ScriptedAnswer(framed(messages), ScriptedAnswer.OPEN, ""));
    }

    /** Sends messages and part of another, and resets the stream. */
    ScriptedEtcd cut(String method, ProtobufWriter... messages) {
        return answer(method, new ScriptedAnswer(framed(messages), ScriptedAnswer.CUT, ""));
    }

    /** Answers as a load balancer without a member. */
    ScriptedEtcd balance(String method) {
        return answer(method, new ScriptedAnswer(List.of(), ScriptedAnswer.PAGE, ""));
    }

    private static List<ByteString> framed(ProtobufWriter... messages) {
        return List.of(messages).stream().map(ProtobufWriter::framed).toList();
    }

    private void handle(HttpServerRequest request) {
        requests.add(request.path());
        Queue<ScriptedAnswer> queue = answers.get(request.path());
        HttpServerResponse response = request.response();
        response.putHeader("content-type", "application/grpc");
        if (queue == null) {
            response.putHeader("grpc-status", "12").end();
            return;
        }
        ScriptedAnswer answer = queue.size() > 1 ? queue.remove() : queue.element();
        if (answer.messages().isEmpty() && answer.code() > 0) {
            response.putHeader("grpc-status", Integer.toString(answer.code()));
            response.putHeader("grpc-message", answer.message()).end();
            return;
        }
        if (answer.code() == ScriptedAnswer.PAGE) {
            response.setStatusCode(503).putHeader("content-type", "text/html").end("<html>");
            return;
        }
        response.setChunked(true);
        answer.messages().forEach(message -> response.write(Buffer.buffer(message.toByteArray())));
        if (answer.code() == ScriptedAnswer.CUT) {
            response.write(Buffer.buffer(new byte[] {0, 0, 0, 1, 0, 10}));
            vertx.setTimer(50, _ -> response.reset());
        } else if (answer.code() >= 0) {
            response.putTrailer("grpc-status", Integer.toString(answer.code()));
            response.putTrailer("grpc-message", answer.message());
            response.end();
        }
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
