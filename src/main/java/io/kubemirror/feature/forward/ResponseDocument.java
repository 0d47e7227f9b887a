package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.model.MemoryBudget;

/**
 * The body of a response in memory, or the beginning of one. Its memory is charged until it is
 * closed.
 */
final class ResponseDocument implements AutoCloseable {

    static final String JSON = "application/json";

    private static final int PIECE = 64 * 1024;

    private final MemoryBudget memory;
    private final List<byte[]> pieces = new ArrayList<>();
    private byte[] bytes = {};
    private int acquired;
    private boolean complete;

    private ResponseDocument(MemoryBudget memory) {
        this.memory = memory;
    }

    /**
     * Reads a document until its end, a number of bytes, or the end of the memory.
     *
     * @param copies how often its bytes exist at most, at least twice, when they are joined
     * @throws IOException if the server has disconnected
     */
    static ResponseDocument read(InputStream body, MemoryBudget memory, int copies, int max)
            throws IOException {
        ResponseDocument document = new ResponseDocument(memory);
        try {
            document.fill(body, copies * PIECE, max);
            return document;
        } catch (IOException broken) {
            document.close();
            throw broken;
        }
    }

    private void fill(InputStream body, int charge, int max) throws IOException {
        int size = 0;
        while (!complete && size < max && memory.tryAcquire(charge)) {
            acquired += charge;
            byte[] piece = body.readNBytes(PIECE);
            pieces.add(piece);
            size += piece.length;
            complete = piece.length < PIECE;
        }
        ByteBuffer joined = ByteBuffer.allocate(size);
        pieces.forEach(joined::put);
        pieces.clear();
        bytes = joined.array();
    }

    /** Whether it has the whole body. */
    boolean isComplete() {
        return complete;
    }

    byte[] bytes() {
        return bytes;
    }

    /** Returns the memory that is not needed once the bytes do not change any more. */
    void keep() {
        memory.release(acquired - bytes.length);
        acquired = bytes.length;
    }

    @Override
    public void close() {
        memory.release(acquired);
        acquired = 0;
    }
}
