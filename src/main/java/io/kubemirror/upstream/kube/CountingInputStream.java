package io.kubemirror.upstream.kube;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongConsumer;

/** A stream that reports how many bytes are read from it, as they are read. */
final class CountingInputStream extends FilterInputStream {

    private final LongConsumer count;

    CountingInputStream(InputStream source, LongConsumer count) {
        super(source);
        this.count = count;
    }

    @Override
    public int read() throws IOException {
        int read = super.read();
        if (read >= 0) {
            count.accept(1);
        }
        return read;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int read = super.read(bytes, offset, length);
        if (read > 0) {
            count.accept(read);
        }
        return read;
    }
}
