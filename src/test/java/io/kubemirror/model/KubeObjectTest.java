package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.KubeObject.Span;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Map;

class KubeObjectTest {

    @Test
    void a_state_is_told_by_uid_and_revision() {
        KubeObject object = object("u", "5");

        assertThat(object.isSameState(object("u", "5"))).isTrue();
        assertThat(object.isSameState(object("u", "6"))).isFalse();
        assertThat(object.isSameState(object("another", "5"))).isFalse();
    }

    @Test
    void the_content_is_never_printed() {
        assertThat(object("u", "5")).hasToString("a/x@5");
    }

    private static KubeObject object(String uid, String revision) {
        return new KubeObject(
                new ObjectKey("a/x"),
                uid,
                new Revision(revision),
                Map.of("app", "secret"),
                Map.of("type", "secret"),
                "{\"data\":\"secret\"}".getBytes(StandardCharsets.UTF_8),
                new Span(0, 0),
                new Span(0, 0));
    }
}
