package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.app.config.BoundRecords;
import io.kubemirror.app.config.CurrentProperties;

import org.junit.jupiter.api.Test;

/** Tests listeners that fail when the configuration is replaced. */
class CurrentPropertiesTest {

    private final CurrentProperties current = new CurrentProperties(connections("4"));
    private final List<String> heard = new ArrayList<>();

    private static BoundRecords connections(String max) {
        return BoundProperties.records(Map.of("kubemirror.connections.max", max));
    }

    @Test
    void listener_that_fails_keeps_no_other_from_hearing_and_hears_again() {
        AtomicBoolean failing = new AtomicBoolean(true);
        current.listen(
                all -> all.get(MirrorProperties.class).connections().max(),
                (before, now) -> {
                    if (failing.get()) {
                        throw new StackOverflowError("as scripted");
                    }
                    heard.add("first " + before + " " + now);
                });
        current.listen(
                all -> all.get(MirrorProperties.class).connections().max(),
                (before, now) -> heard.add("second " + before + " " + now));

        assertThatThrownBy(() -> current.prepare(connections("8")).run())
                .hasRootCauseMessage("as scripted");
        assertThat(heard).containsExactly("second 4 8");

        failing.set(false);
        current.prepare(connections("8")).run();
        assertThat(heard).containsExactly("second 4 8", "first 4 8");
    }
}
