package io.kubemirror.upstream.kube;

import okhttp3.Response;

import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongConsumer;
import java.util.zip.GZIPInputStream;

/** The body of a response as a stream of plain bytes. */
final class ResponseBody {

    private static final int BUFFER = 8 * 1024;

    private ResponseBody() {}

    /** Opens a body whose bytes nobody counts. */
    static InputStream of(Response response) throws IOException {
        return of(response, _ -> {});
    }

    /**
     * Opens a body; waits for its first bytes if it is compressed.
     *
     * <p>Bodies are decompressed here and not by OkHttp, since servers compress watches as a chain
     * of gzip members, which OkHttp takes for garbage (list-watch.md#en-10).
     *
     * @param received told how many bytes came from the network, compressed as they are
     * @throws IOException if it cannot be read
     */
    static InputStream of(Response response, LongConsumer received) throws IOException {
        InputStream bytes = new CountingInputStream(response.body().byteStream(), received);
        boolean zipped = "gzip".equalsIgnoreCase(response.header("Content-Encoding"));
        return zipped ? new GZIPInputStream(bytes, BUFFER) : bytes;
    }
}
