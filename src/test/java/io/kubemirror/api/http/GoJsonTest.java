package io.kubemirror.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.Status;

import org.junit.jupiter.api.Test;

import tools.jackson.core.JsonParser;

/** Errors are written byte for byte as the API server writes them (list-watch.md#errors). */
class GoJsonTest {

    @Test
    void html_and_javascript_characters_are_escaped_like_go() {
        assertThat(json(StatusErrors.badRequest("<a>&'\u2028\u001b\n\"\\\u00e4")))
                .contains("\"message\":\"\\u003ca\\u003e\\u0026'\\u2028\\u001b\\n\\\"\\\\\u00e4\"");
    }

    private static String json(Status status) {
        return new String(GoJson.status(status), StandardCharsets.UTF_8);
    }

    /** Keys of managedFields contain names of any length. */
    @Test
    void long_names_in_stored_json_are_read() {
        String name = "n".repeat(60_000);
        byte[] json = ("{\"" + name + "\":1}").getBytes(StandardCharsets.UTF_8);

        assertThat(GoJson.tree(json).has(name)).isTrue();
        try (JsonParser parser = GoJson.parser(json, 0, json.length)) {
            parser.nextToken();
            assertThat(parser.nextName()).isEqualTo(name);
        }
    }
}
