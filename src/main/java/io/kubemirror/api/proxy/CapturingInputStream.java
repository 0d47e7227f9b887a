package io.kubemirror.api.proxy;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Bytes that are passed on as they are read. */
final class CapturingInputStream extends FilterInputStream {

    private final OutputStream copy;

    /**
     * Passes on what is read of a stream.
     *
     * @param in what is read
     * @param copy where it goes
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
