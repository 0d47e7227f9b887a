package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.json.TransportFailure.MalformedResponseException;
import io.kubemirror.model.MemoryBudget;

import okhttp3.Response;

import org.apache.commons.io.input.ProxyInputStream;

/** The body of a response as it arrives from the network. */
final class ResponseBody {

    private static final int BUFFER = 16 * 1024;

    private ResponseBody() {}

    /**
     * Opens a body as uncompressed bytes. Waits for its first bytes if it is compressed.
     *
     * <p>Bodies are decompressed here instead of in OkHttp, because servers compress watches as a
     * sequence of gzip members, which OkHttp rejects (list-watch.md#en-9).
     *
     * @throws IOException if the body cannot be read
     */
    static InputStream of(Response response) throws IOException {
        InputStream bytes = response.body().byteStream();
        boolean zipped = "gzip".equalsIgnoreCase(response.header("Content-Encoding"));
        return zipped ? new GZIPInputStream(bytes, BUFFER) : bytes;
    }

    /**
     * A stream of a document that is parsed into a tree as a whole. Memory for the tree is acquired
     * while the document arrives and released when the stream is closed. Used by one thread.
     */
    static final class BudgetedInputStream extends ProxyInputStream {

        /** The number of bytes that a byte of JSON needs in a tree. */
        private static final int EXPANSION = 8;

        private static final int STEP = 64 * 1024;

        private final MemoryBudget budget;
        private final long limit;
        private long read;
        private long acquired;

        /**
         * Creates a stream.
         *
         * @param settings the size limit and the memory budget
         */
        BudgetedInputStream(InputStream source, ClientSettings settings) {
            super(source);
            this.budget = settings.incoming();
            this.limit = settings.objectLimit();
        }

        /**
         * {@inheritDoc}
         *
         * @throws MalformedResponseException if the document is larger than the limit or the
         *     remaining memory
         */
        @Override
        protected void afterRead(int count) throws IOException {
            read += Math.max(0, count);
            if (read > limit) {
                throw new MalformedResponseException(
                        "a document is larger than " + limit + " bytes");
            }
            while (acquired < read * EXPANSION) {
                if (!budget.tryAcquire((long) STEP * EXPANSION)) {
                    throw new MalformedResponseException(
                            "not enough memory for a document of more than " + read + " bytes");
                }
                acquired += (long) STEP * EXPANSION;
            }
        }

        @Override
        public void close() throws IOException {
            budget.release(acquired);
            acquired = 0;
            super.close();
        }
    }
}
