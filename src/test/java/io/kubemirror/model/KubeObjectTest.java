package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.KubeObject.Span;

import org.junit.jupiter.api.Test;

class KubeObjectTest {

    @Test
    void object_state_is_identified_by_uid_and_revision() {
        KubeObject object = object("u", "5");

        assertThat(object.isSameState(object("u", "5"))).isTrue();
        assertThat(object.isSameState(object("u", "6"))).isFalse();
        assertThat(object.isSameState(object("another", "5"))).isFalse();
    }

    @Test
    void labels_and_fields_beyond_ten_take_memory() {
        KubeObject object = object("u", "5");
        Map<String, String> ten = numbered(10);

        assertThat(object.with(ten, Map.of()).heapBytes()).isEqualTo(object.heapBytes());
        assertThat(object.with(ten, numbered(4)).heapBytes())
                .isEqualTo(object.heapBytes() + 4 * 64);
        assertThat(object.with(numbered(1_010), Map.of()).heapBytes())
                .isEqualTo(object.heapBytes() + 64_000);
    }

    private static Map<String, String> numbered(int count) {
        return IntStream.range(0, count).boxed().collect(Collectors.toMap(i -> "l" + i, _ -> ""));
    }

    @Test
    void object_content_is_never_printed() {
        assertThat(object("u", "5")).hasToString("a/x@5");
    }

    @Test
    void object_can_be_copied_to_another_revision() {
        String json = "{\"metadata\":{\"resourceVersion\":\"99\",\"name\":\"x\"},\"data\":{}}";
        KubeObject object =
                new KubeObject(
                        new ObjectKey("a/x"),
                        "u",
                        new Revision("99"),
                        Map.of(),
                        Map.of(),
                        json.getBytes(StandardCharsets.UTF_8),
                        new Span(12, json.indexOf('}') + 1),
                        new Span(32, 34));
        KubeObject moved = object.at(new Revision("100"));

        assertThat(text(moved, new Span(0, moved.json().length)))
                .isEqualTo(json.replace("99", "100"));
        assertThat(text(moved, moved.version())).isEqualTo("100");
        assertThat(text(moved, moved.metadata()))
                .isEqualTo("{\"resourceVersion\":\"100\",\"name\":\"x\"}");
        assertThat(moved.revision()).isEqualTo(new Revision("100"));
        assertThat(text(object, object.version())).isEqualTo("99");
    }

    private static String text(KubeObject object, Span span) {
        return new String(
                object.json(), span.start(), span.end() - span.start(), StandardCharsets.UTF_8);
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
