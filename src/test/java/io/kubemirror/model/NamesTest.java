package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.Permission.Verb;

import org.junit.jupiter.api.Test;

class NamesTest {

    @Test
    void constant_is_spelled_in_kebab_case() {
        assertThat(Names.kebab(Verb.DELETECOLLECTION)).isEqualTo("deletecollection");
        assertThat(Names.kebab(Thread.State.TIMED_WAITING)).isEqualTo("timed-waiting");
    }
}
