package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.reflector.ReflectorCounts.Counter;

import org.junit.jupiter.api.Test;

/** Tests a server whose list never ends. */
class EndlessListTest extends StateMachineHarness {

    private static final String PROBLEM = "the list does not end: ";

    @Test
    void list_ends_after_a_repeated_continue_token() {
        api.listsPage(110, "same", object("a/x", 101)).listsPage(110, "same", object("a/y", 102));

        ReflectorState end = run(synchronizing, 4);

        assertAbandoned(end, 2);
    }

    @Test
    void list_ends_after_too_many_pages_without_a_new_object() {
        api.listsPage(110, "t0", object("a/x", 101));
        for (int page = 1; page <= 101; page++) {
            api.listsPage(110, "t" + page, object("a/x", 101));
        }

        ReflectorState end = run(synchronizing, 104);

        assertAbandoned(end, 102);
    }

    @Test
    void list_of_many_pages_is_read_to_its_end_if_each_has_a_new_object() {
        for (int page = 0; page < 300; page++) {
            api.listsPage(110, "t" + page, object("a/x" + page, 101));
        }
        api.listsPage(110, null, object("a/y", 102));

        ReflectorState end = run(synchronizing, 303);

        assertThat(end).isEqualTo(opening);
        assertThat(snapshot().size()).isEqualTo(301);
    }

    private void assertAbandoned(ReflectorState end, int requests) {
        assertThat(afterBackoff(end)).isEqualTo(synchronizing);
        assertThat(mirror.upstream().problem()).startsWith(PROBLEM);
        assertThat(mirror.snapshot()).isEmpty();
        assertThat(api.lists).hasSize(requests);
        assertThat(counts.get(Counter.LISTS_FAILED)).isOne();
    }
}
