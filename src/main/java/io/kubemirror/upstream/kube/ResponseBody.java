package io.kubemirror.upstream.kube;

import okhttp3.Response;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongConsumer;
import java.util.zip.GZIPInputStream;

/** The body of a response as it arrives from the network. */
final class ResponseBody extends FilterInputStream {

    private static final int BUFFER = 8 * 1024;

    private final LongConsumer received;

    private ResponseBody(InputStream network, LongConsumer received) {
        super(network);
        this.received = received;
    }

    /** Opens a body as uncompressed bytes, without counting those that arrive. */
    static InputStream of(Response response) throws IOException {
        return of(response, _ -> {});
    }

    /**
     * Opens a body as uncompressed bytes. Waits for its first bytes if it is compressed.
     *
     * <p>Bodies are decompressed here instead of in OkHttp, because servers compress watches as a
     * sequence of gzip members, which OkHttp rejects (list-watch.md#en-10).
     *
     * @param received receives the number of bytes from the network, before decompression
     * @throws IOException if the body cannot be read
     */
    static InputStream of(Response response, LongConsumer received) throws IOException {
        InputStream bytes = new ResponseBody(response.body().byteStream(), received);
        boolean zipped = "gzip".equalsIgnoreCase(response.header("Content-Encoding"));
        return zipped ? new GZIPInputStream(bytes, BUFFER) : bytes;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = super.read(bytes, offset, length);
        if (count > 0) {
            received.accept(count);
        }
        return count;
    }
}
