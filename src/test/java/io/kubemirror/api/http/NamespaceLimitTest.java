package io.kubemirror.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.Revision;

import org.junit.jupiter.api.Test;

/** Tests where clients may continue whose permissions change (list-watch.md#pn-3). */
class NamespaceLimitTest {

    private static final Revision BEFORE = new Revision("9");
    private static final Revision BEGIN = new Revision("10");

    private final NamespaceLimit limit = NamespaceLimit.to(Set.of("b", "a"));

    @Test
    void nobody_continues_before_a_limit_has_begun() {
        assertThat(limit.continuesAfter(BEGIN)).isFalse();
    }

    @Test
    void clients_continue_from_where_the_limit_began() {
        limit.begin(BEGIN);

        limit.begin(BEFORE);

        assertThat(limit.continuesAfter(BEFORE)).as("it begins once").isFalse();
        assertThat(limit.continuesAfter(BEGIN)).isTrue();
    }

    @Test
    void nobody_continues_after_a_limit_has_ended() {
        limit.begin(BEGIN);
        assertThat(limit.isEnded()).isFalse();
        limit.end();

        assertThat(limit.isEnded()).isTrue();
        assertThat(limit.continuesAfter(BEGIN)).isFalse();
    }

    @Test
    void limit_to_all_namespaces_narrows_nothing() {
        assertThat(NamespaceLimit.toNone().narrow(FieldSelector.everything()))
                .isEqualTo(FieldSelector.everything());
        assertThat(limit.narrow(FieldSelector.everything()).text())
                .isEqualTo("metadata.namespace in (a,b)");
    }
}
