package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import com.sun.management.ThreadMXBean;

import io.kubemirror.api.encode.JsonDocument;
import io.kubemirror.api.encode.ListPage;
import io.kubemirror.api.encode.ObjectEncoder;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Resync;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.WaitLimit;

import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;

/** The memory that a response allocates does not grow with the list. */
class ListAllocationTest {

    private static final int OBJECTS = 100_000;
    private static final long MEGABYTE = 1L << 20;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void list_of_100000_objects_allocates_less_than_one_megabyte() throws IOException {
        Snapshot state = mirror().snapshot().orElseThrow();
        // The first ones are interpreted, which makes objects that are none once it is compiled.
        long deadline = System.nanoTime() + WaitLimit.GENEROUS.toNanos();
        long least = Long.MAX_VALUE;
        while (least >= MEGABYTE && System.nanoTime() < deadline) {
            least = allocated(state);
        }
        assertThat(least).isLessThan(MEGABYTE);
    }

    private long allocated(Snapshot state) throws IOException {
        long before = threads.getCurrentThreadAllocatedBytes();
        JsonDocument.list(
                        ApiSamples.PODS,
                        "PodList",
                        ListPage.whole(state, Selection.everything(), ""),
                        ObjectEncoder.items(ApiSamples.PODS))
                .write(OutputStream.nullOutputStream());
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private static Mirror mirror() {
        MirrorWriter writer = Mirrors.writer(Mirrors.pods(), () -> 0);
        Resync resync = writer.resync();
        for (int i = 0; i < OBJECTS; i++) {
            resync.add(ApiSamples.object("a", "p" + i, 1 + i));
        }
        resync.complete(KubeObjects.revision(OBJECTS));
        return writer.mirror();
    }
}
