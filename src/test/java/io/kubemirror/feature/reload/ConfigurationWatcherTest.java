package io.kubemirror.feature.reload;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.Test;

/** Tests when files are read, with scripted contents and without time. */
class ConfigurationWatcherTest {

    private final Deque<String> contents = new ArrayDeque<>();
    private final List<String> reloads = new ArrayList<>();
    private final List<Duration> waits = new ArrayList<>();
    private String content = "";

    /** Runs the watcher until it has seen all contents, and returns those that it reloaded at. */
    private List<String> reloads(String... seen) {
        contents.addAll(List.of(seen));
        new ConfigurationWatcher(
                        this::next,
                        () -> reloads.add(content),
                        duration -> {
                            waits.add(duration);
                            if (contents.isEmpty()) {
                                throw new InterruptedException();
                            }
                        })
                .run();
        return reloads;
    }

    private String next() {
        content = contents.remove();
        return content;
    }

    @Test
    void files_are_read_once_at_the_start() {
        assertThat(reloads("a", "a", "a")).containsExactly("a");
    }

    @Test
    void changed_file_is_read_when_two_looks_find_the_same() {
        assertThat(reloads("a", "b", "b", "b")).containsExactly("a", "b");
    }

    @Test
    void file_that_is_being_written_is_not_read() {
        assertThat(reloads("a", "b1", "b2", "b3", "b", "b")).containsExactly("a", "b");
    }

    @Test
    void rest_of_a_slowly_written_file_is_read_later() {
        assertThat(reloads("a", "b1", "b1", "b", "b")).containsExactly("a", "b1", "b");
    }

    @Test
    void file_that_changes_back_before_it_is_read_is_not_read() {
        assertThat(reloads("a", "b", "a", "a")).containsExactly("a");
    }

    @Test
    void reload_that_is_not_complete_or_fails_is_requested_again_after_five_seconds() {
        contents.addAll(Collections.nCopies(60, "a"));
        new ConfigurationWatcher(
                        this::next,
                        () -> {
                            reloads.add(waits.size() + "");
                            if (reloads.size() == 2) {
                                throw new StackOverflowError("as scripted");
                            }
                            return reloads.size() == 3;
                        },
                        duration -> {
                            waits.add(duration);
                            if (contents.isEmpty()) {
                                throw new InterruptedException();
                            }
                        })
                .run();

        assertThat(reloads).containsExactly("0", "25", "50");
    }

    @Test
    void two_looks_take_less_than_half_a_second() {
        reloads("a", "a");
        assertThat(waits).allMatch(wait -> wait.multipliedBy(2).toMillis() < 500);
    }
}
