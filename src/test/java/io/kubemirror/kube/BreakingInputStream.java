package io.kubemirror.kube;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A stream that breaks after its last byte, as a lost connection does. */
final class BreakingInputStream extends InputStream {

    private final ByteArrayInputStream before;
    private final IOException breakage;

    BreakingInputStream(String before, IOException breakage) {
        this.before = new ByteArrayInputStream(UpstreamSamples.utf8(before));
        this.breakage = breakage;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0];
    }

    @Override
    public int read(byte[] bytes, int offset, int count) throws IOException {
        int read = before.read(bytes, offset, count);
        if (read < 0) {
            throw breakage;
        }
        return read;
    }
}
