package io.kubemirror.feature.forward;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.model.MemoryBudget;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * A response that is one JSON document, in memory to be changed. Its memory is charged until it is
 * closed.
 */
final class ResponseDocument implements AutoCloseable {

    static final String JSON = "application/json";

    private static final int PIECE = 64 * 1024;

    /** How often the bytes of a document exist at most: parsed, and written again. */
    private static final int COPIES = 12;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final MemoryBudget memory;
    private int acquired;

    private ResponseDocument(MemoryBudget memory) {
        this.memory = memory;
    }

    /**
     * Reads a document until its end.
     *
     * @throws Rejection if there is not enough memory
     * @throws IOException if the server has disconnected
     */
    static ResponseDocument read(InputStream body, MemoryBudget memory)
            throws Rejection, IOException {
        ResponseDocument document = new ResponseDocument(memory);
        boolean complete = false;
        try {
            byte[] piece;
            do {
                document.acquire();
                piece = body.readNBytes(PIECE);
                document.bytes.writeBytes(piece);
            } while (piece.length == PIECE);
            complete = true;
            return document;
        } finally {
            if (!complete) {
                document.close();
            }
        }
    }

    private void acquire() throws Rejection {
        if (!memory.tryAcquire(COPIES * PIECE)) {
            throw new Rejection(StatusErrors.outOfMemory());
        }
        acquired += COPIES * PIECE;
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }

    @Override
    public void close() {
        memory.release(acquired);
        acquired = 0;
    }
}
