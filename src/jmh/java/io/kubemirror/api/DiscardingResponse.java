package io.kubemirror.api;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;

/** A response whose body is not kept. */
final class DiscardingResponse extends HttpServletResponseWrapper {

    private final ServletOutputStream out = new Out();

    /** A response with the headers of another. */
    DiscardingResponse(HttpServletResponse headers) {
        super(headers);
    }

    @Override
    public ServletOutputStream getOutputStream() {
        return out;
    }

    private static final class Out extends ServletOutputStream {

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void write(int value) {}

        @Override
        public void write(byte[] bytes, int offset, int length) {}
    }
}
