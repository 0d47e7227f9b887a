package io.kubemirror.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Indenting changes white space only (list-watch.md#ne-12). */
class IndenterTest {

    private static final JsonMapper JSON = new JsonMapper();

    @Test
    void numbers_and_escapes_are_unchanged() throws IOException {
        String odd = "\"\\u003cnone\\u003e {[,:]} \\\"\\\\\"";
        assertThat(indented("[" + odd + ",1.10e+05,12345678901234567890]"))
                .isEqualTo("[\n  " + odd + ",\n  1.10e+05,\n  12345678901234567890\n]");
    }

    @Test
    void original_white_space_is_ignored() throws IOException {
        assertThat(indented("{ \"a\" :\t[ 1 , 2 ] }")).isEqualTo(indented("{\"a\":[1,2]}"));
    }

    @Test
    void nesting_depth_is_unlimited() throws IOException {
        String deep = indented("[".repeat(100) + "1" + "]".repeat(100));
        assertThat(deep.lines().skip(100).findFirst()).contains(" ".repeat(200) + "1");
    }

    /** Wherever the pieces are cut, the document stays the same. */
    @Test
    void output_is_independent_of_input_chunks() throws IOException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int i = 0; i < 200; i++) {
            JsonNode tree = tree(random, 4);
            String indented = indented(JSON.writeValueAsString(tree), random);
            assertThat(JSON.readTree(indented)).as("seed %d", seed).isEqualTo(tree);
            assertThat(indented).as("seed %d", seed).isEqualTo(indented(tree.toString()));
        }
    }

    private static JsonNode tree(Random random, int depth) {
        return switch (depth == 0 ? 2 : random.nextInt(4)) {
            case 0 -> {
                ObjectNode object = JSON.createObjectNode();
                for (int i = random.nextInt(4); i > 0; i--) {
                    object.set("k\"" + i, tree(random, depth - 1));
                }
                yield object;
            }
            case 1 -> {
                ArrayNode array = JSON.createArrayNode();
                for (int i = random.nextInt(4); i > 0; i--) {
                    array.add(tree(random, depth - 1));
                }
                yield array;
            }
            default -> JSON.valueToTree("\\\"{}[],: ü" + random.nextInt());
        };
    }

    private static String indented(String json) throws IOException {
        return indented(json, null);
    }

    private static String indented(String json, @Nullable Random cuts) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Indenter indenter = new Indenter(out);
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; ) {
            int length =
                    cuts == null ? bytes.length : Math.min(cuts.nextInt(1, 9), bytes.length - i);
            indenter.write(bytes, i, length);
            i += length;
        }
        return out.toString(StandardCharsets.UTF_8);
    }
}
