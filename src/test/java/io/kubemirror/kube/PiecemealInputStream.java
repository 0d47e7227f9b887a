package io.kubemirror.kube;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Random;

/** A stream that comes in pieces of random size, often of a single byte. */
final class PiecemealInputStream extends FilterInputStream {

    private final Random random;
    private final int largest;

    PiecemealInputStream(InputStream source, Random random) {
        super(source);
        this.random = random;
        this.largest = random.nextBoolean() ? 3 : 10_000;
    }

    PiecemealInputStream(InputStream source, int largest) {
        super(source);
        this.random = new Random(largest);
        this.largest = largest;
    }

    @Override
    public int read(byte[] bytes, int offset, int count) throws IOException {
        return super.read(bytes, offset, Math.min(count, 1 + random.nextInt(largest)));
    }
}
