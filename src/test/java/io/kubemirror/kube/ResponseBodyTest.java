package io.kubemirror.kube;

import static io.kubemirror.kube.UpstreamSamples.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;

import org.junit.jupiter.api.Test;

class ResponseBodyTest {

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Duration HOUR = Duration.ofHours(1);

    private Duration now = Duration.ZERO;
    private long received;

    @Test
    void body_that_drips_ends_although_it_is_never_silent() {
        InputStream body = body(new TimedStream(Duration.ofSeconds(30), 1));

        assertThatIOException()
                .isThrownBy(body::readAllBytes)
                .withMessage("the response was too slow");
        assertThat(now).isEqualTo(LIMIT.plusSeconds(30));
    }

    @Test
    void list_that_drips_is_a_broken_connection() {
        List<KubeObject> objects = new ArrayList<>();
        ListReader reader =
                new ListReader(
                        pods(),
                        body(new TimedStream(Duration.ofSeconds(30), 1)),
                        1 << 20,
                        MemoryBudget.unlimited(),
                        objects::add);

        assertThat(reader.read())
                .isEqualTo(
                        Result.failed(
                                new Failure.Unreachable(
                                        "the response was too slow",
                                        Failure.Unreachable.Kind.BROKEN)));
    }

    @Test
    void slow_body_that_makes_progress_is_read_to_its_end() throws Exception {
        InputStream body = body(new TimedStream(Duration.ofSeconds(1), 1024));

        assertThat(body.readNBytes(3_000_000)).hasSize(3_000_000);
        assertThat(now).isGreaterThan(LIMIT.multipliedBy(20));
        assertThat(received).isEqualTo(3_000_000);
    }

    @Test
    void time_between_reads_does_not_count() throws Exception {
        InputStream body = body(new TimedStream(Duration.ofSeconds(1), 1));
        byte[] bytes = new byte[8];

        for (int i = 0; i < 100; i++) {
            now = now.plusSeconds(20);
            assertThat(body.read(bytes)).isEqualTo(1);
        }
    }

    private ResponseBody body(InputStream network) {
        return new ResponseBody(network, count -> received += count, LIMIT, () -> now.toNanos());
    }

    /** A body without an end, whose reads take time and give some spaces. */
    private final class TimedStream extends InputStream {

        private final Duration wait;
        private final int portion;

        TimedStream(Duration wait, int portion) {
            this.wait = wait;
            this.portion = portion;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            now = now.plus(wait);
            if (now.compareTo(HOUR) > 0) {
                throw new AssertionError("still read after an hour");
            }
            int count = Math.min(portion, length);
            Arrays.fill(bytes, offset, offset + count, (byte) ' ');
            return count;
        }

        @Override
        public int read() {
            throw new UnsupportedOperationException();
        }
    }
}
