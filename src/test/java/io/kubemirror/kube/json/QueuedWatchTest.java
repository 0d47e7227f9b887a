package io.kubemirror.kube.json;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Revision;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.source.WatchStream;
import io.kubemirror.testing.Unchecked;

import org.junit.jupiter.api.Test;

class QueuedWatchTest {

    private static final WatchFrame FIRST = new WatchFrame.Added(object("a/x", 101), null, null);
    private static final WatchFrame SECOND = new WatchFrame.Modified(object("a/x", 102), null);
    private static final WatchFrame BOOKMARK = new WatchFrame.Bookmark(new Revision("110"), false);
    private static final WatchFrame END = new WatchFrame.Ended();

    private final ScriptedStream source = new ScriptedStream();

    @Test
    void frames_are_in_order_and_the_end_repeats() {
        source.send(FIRST, SECOND, END);
        WatchStream watch = ahead(1_000, 1_000_000);

        assertThat(watch.next()).isEqualTo(FIRST);
        assertThat(watch.next()).isEqualTo(SECOND);
        assertThat(watch.next()).isEqualTo(END);
        assertThat(watch.next()).isEqualTo(END);
    }

    @Test
    void full_queue_ends_the_watch_without_a_gap() {
        source.send(FIRST, SECOND, BOOKMARK);
        WatchStream watch = ahead(2, 1_000);
        source.awaitClose();

        assertThat(watch.next()).isEqualTo(FIRST);
        assertThat(watch.next()).isEqualTo(SECOND);
        assertThat(watch.next())
                .isEqualTo(
                        new WatchFrame.Broken(
                                "too many watch events are buffered", BrokenKind.CUT));
    }

    @Test
    void read_ahead_limit_applies_to_bytes() {
        source.send(FIRST, SECOND);
        WatchStream watch = ahead(1_000, 1);
        source.awaitClose();

        assertThat(watch.next()).isEqualTo(FIRST);
        assertThat(watch.next()).isInstanceOf(WatchFrame.Broken.class);
    }

    @Test
    void exception_in_the_source_ends_the_watch() {
        source.fail();
        WatchStream watch = ahead(1_000, 1_000_000);

        assertThat(watch.next())
                .isEqualTo(new WatchFrame.Untrackable("internal error while reading the watch"));
    }

    @Test
    void interrupt_ends_the_wait_for_a_frame() {
        WatchStream watch = ahead(1_000, 1_000_000);
        Thread.currentThread().interrupt();

        assertThat(watch.next()).isEqualTo(new WatchFrame.Broken("interrupted", BrokenKind.CUT));
        assertThat(Thread.interrupted()).isTrue();
        watch.close();
    }

    private WatchStream ahead(int frames, long bytes) {
        return QueuedWatch.ahead(source, frames, bytes, MemoryBudget.unlimited());
    }

    /** A watch whose frames come when the test sends them. */
    private static final class ScriptedStream implements WatchStream {

        private final LinkedBlockingQueue<Optional<WatchFrame>> frames =
                new LinkedBlockingQueue<>();
        private final CountDownLatch closed = new CountDownLatch(1);

        void send(WatchFrame... all) {
            for (WatchFrame frame : all) {
                frames.add(Optional.of(frame));
            }
        }

        void fail() {
            frames.add(Optional.empty());
        }

        void awaitClose() {
            Unchecked.run(() -> closed.await());
        }

        @Override
        public WatchFrame next() {
            return Unchecked.call(() -> frames.take().orElseThrow());
        }

        @Override
        public void close() {
            closed.countDown();
            send(new WatchFrame.Broken("closed", BrokenKind.CUT));
        }
    }
}
