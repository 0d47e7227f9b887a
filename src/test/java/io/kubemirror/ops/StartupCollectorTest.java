package io.kubemirror.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.MirrorSet;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class StartupCollectorTest {

    private final PodMirror first = new PodMirror("a");
    private final PodMirror second = new PodMirror("b");

    /** What happened, in order. */
    private final List<String> events = new ArrayList<>();

    private StartupCollector collector(long used) {
        return new StartupCollector(
                MirrorSet.of(first.mirror(), second.mirror()),
                () -> used,
                _ -> events.add("pause, " + first.mirror().revision() + second.mirror().revision()),
                () -> events.add("collection"));
    }

    @Test
    void garbage_is_collected_once_when_all_mirrors_have_content() throws Exception {
        first.sync("5");
        Thread collecting = Thread.ofVirtual().start(collector(StartupCollector.LARGEST)::collect);
        second.sync("6");
        collecting.join();

        assertThat(events).containsExactly("pause, 56", "collection");
    }

    @Test
    void large_mirrors_are_not_paused() {
        first.sync("5");
        second.sync("6");

        collector(StartupCollector.LARGEST + 1).collect();

        assertThat(events).containsExactly("pause, 56");
    }
}
