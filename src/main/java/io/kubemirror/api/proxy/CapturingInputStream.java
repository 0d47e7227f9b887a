package io.kubemirror.api.proxy;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** An input stream that copies the bytes read from it to an output stream. */
final class CapturingInputStream extends FilterInputStream {

    private final OutputStream copy;

    /**
     * Creates a stream.
     *
     * @param in the source
     * @param copy receives a copy of all bytes read
     */
    CapturingInputStream(InputStream in, OutputStream copy) {
        super(in);
        this.copy = copy;
    }

    @Override
    public int read() throws IOException {
        int value = in.read();
        if (value >= 0) {
            copy.write(value);
        }
        return value;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = in.read(bytes, offset, length);
        if (count > 0) {
            copy.write(bytes, offset, count);
        }
        return count;
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}
