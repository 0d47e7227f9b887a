package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.kube.ClientSettings;
import io.kubemirror.kube.json.DocumentReader;
import io.kubemirror.kube.json.TransportFailure.MalformedResponseException;
import io.kubemirror.model.MemoryBudget;

import okhttp3.Call;
import okhttp3.MediaType;
import okhttp3.RequestBody;
import okhttp3.Response;

import okio.Buffer;
import okio.BufferedSink;
import okio.BufferedSource;
import okio.ByteString;

import org.apache.commons.io.function.IOFunction;
import org.jspecify.annotations.Nullable;

/** A call that etcd has accepted, and whose response is being read. */
final class GrpcCall implements AutoCloseable {

    private static final MediaType CONTENT_TYPE = MediaType.get("application/grpc");

    /** What a message has beside an object and its previous state. */
    private static final int OVERHEAD = 1 << 20;

    private final Call call;
    private final Response response;
    private final RequestStream requests;
    private final MemoryBudget incoming;
    private final long maxBytes;
    private final BufferedSource source;

    /**
     * Creates a call whose response is read from its beginning.
     *
     * @param limits the maximum size of an object, and the budget for messages while they are read
     */
    GrpcCall(Call call, Response response, RequestStream requests, ClientSettings limits) {
        this.call = call;
        this.response = response;
        this.requests = requests;
        this.incoming = limits.incoming();
        this.maxBytes = 2L * limits.objectLimit() + OVERHEAD;
        this.source = response.body().source();
    }

    /** Reads the next message, null at the end of a response whose status is OK. */
    <T> T read(IOFunction<@Nullable ProtobufMessage, T> parser) throws IOException {
        if (source.exhausted()) {
            if (!EtcdException.isOk(response.trailers())) {
                throw EtcdException.incomplete();
            }
            return parser.apply(null);
        }
        ProtobufMessage.require(source.readByte() == 0, "a message is compressed");
        long length = source.readInt() & 0xffff_ffffL;
        long reserved = DocumentReader.COPIES * length;
        if (length > maxBytes || !incoming.tryAcquire(reserved)) {
            throw EtcdException.large(length, maxBytes);
        }
        try {
            byte[] message = source.readByteArray(length);
            return parser.apply(new ProtobufMessage(message));
        } finally {
            incoming.release(reserved);
        }
    }

    /** Reads a message that has to follow. */
    <T> T message(IOFunction<ProtobufMessage, T> parser) throws IOException {
        return read(
                message -> {
                    if (message == null) {
                        throw EtcdException.incomplete();
                    }
                    return parser.apply(message);
                });
    }

    /** Sends a further message of a stream. */
    void send(ProtobufWriter message) throws IOException {
        requests.send(message.framed());
    }

    /** Checks that the head begins a response with messages. */
    void requireAccepted() throws IOException {
        String type = String.valueOf(response.header("content-type"));
        if (EtcdException.isOk(response.headers())
                || response.code() != 200
                || !type.startsWith("application/grpc")) {
            throw new MalformedResponseException(
                    "the server does not answer as etcd (HTTP "
                            + response.code()
                            + "); set kubemirror.upstream.etcd.endpoints to the client URLs of its"
                            + " members");
        }
    }

    /** Ends the call, from any thread. */
    void cancel() {
        call.cancel();
    }

    boolean isCanceled() {
        return call.isCanceled();
    }

    /** Closes a response that is not being read, and a request that is not complete. */
    @Override
    public void close() {
        call.cancel();
        response.close();
        requests.close();
    }

    /**
     * The messages of a request: one, or with a stream further ones while the response is read.
     * Written by the thread of the call first, and then by one other thread.
     */
    static final class RequestStream extends RequestBody {

        private final ByteString first;
        private final boolean duplex;

        /**
         * Written by the thread of the call before anything is received; read by the one that
         * sends.
         */
        private volatile @Nullable BufferedSink sink;

        RequestStream(ProtobufWriter first, boolean duplex) {
            this.first = first.framed();
            this.duplex = duplex;
        }

        @Override
        public MediaType contentType() {
            return CONTENT_TYPE;
        }

        @Override
        public boolean isDuplex() {
            return duplex;
        }

        @Override
        public void writeTo(BufferedSink out) throws IOException {
            sink = out;
            out.write(first).flush();
        }

        synchronized void send(ByteString message) throws IOException {
            BufferedSink out = sink;
            if (out != null && out.isOpen()) {
                out.write(message).flush();
            }
        }

        /**
         * Ends the request of a call that is canceled. OkHttp counts a stream as in use until both
         * of its directions are closed.
         */
        synchronized void close() {
            BufferedSink out = sink;
            try {
                if (duplex && out != null) {
                    out.close();
                }
            } catch (IOException canceled) {
                // It has ended by this.
            }
        }
    }

    /**
     * Writes the fields of one protobuf message. Fields with default values are left out, as
     * protobuf demands.
     */
    static final class ProtobufWriter {

        private final Buffer message = new Buffer();

        ProtobufWriter number(int field, long value) {
            return value == 0 ? this : varint((long) field << 3).varint(value);
        }

        ProtobufWriter flag(int field) {
            return number(field, 1);
        }

        ProtobufWriter bytes(int field, ByteString value) {
            return value.size() == 0 ? this : delimited(field, value);
        }

        /** Adds a message, which is written even if it is empty. */
        ProtobufWriter message(int field, ProtobufWriter value) {
            return delimited(field, value.message.snapshot());
        }

        private ProtobufWriter delimited(int field, ByteString value) {
            varint(((long) field << 3) | 2).varint(value.size()).message.write(value);
            return this;
        }

        private ProtobufWriter varint(long value) {
            long rest = value;
            while ((rest & ~0x7fL) != 0) {
                message.writeByte((int) ((rest & 0x7f) | 0x80));
                rest >>>= 7;
            }
            message.writeByte((int) rest);
            return this;
        }

        /** Returns the message with the prefix of gRPC: not compressed, and its length. */
        ByteString framed() {
            return new Buffer()
                    .writeByte(0)
                    .writeInt((int) message.size())
                    .write(message.snapshot())
                    .readByteString();
        }
    }
}
