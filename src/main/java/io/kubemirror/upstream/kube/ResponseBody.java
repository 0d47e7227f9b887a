package io.kubemirror.upstream.kube;

import okhttp3.Response;

import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongConsumer;
import java.util.zip.GZIPInputStream;

/** Opens the body of a response as a stream of uncompressed bytes. */
final class ResponseBody {

    private static final int BUFFER = 8 * 1024;

    private ResponseBody() {}

    /** Opens a body without counting its bytes. */
    static InputStream of(Response response) throws IOException {
        return of(response, _ -> {});
    }

    /**
     * Opens a body. Waits for its first bytes if it is compressed.
     *
     * <p>Bodies are decompressed here instead of in OkHttp, because servers compress watches as a
     * sequence of gzip members, which OkHttp rejects (list-watch.md#en-10).
     *
     * @param received receives the number of bytes from the network, before decompression
     * @throws IOException if the body cannot be read
     */
    static InputStream of(Response response, LongConsumer received) throws IOException {
        InputStream bytes = new CountingInputStream(response.body().byteStream(), received);
        boolean zipped = "gzip".equalsIgnoreCase(response.header("Content-Encoding"));
        return zipped ? new GZIPInputStream(bytes, BUFFER) : bytes;
    }
}
