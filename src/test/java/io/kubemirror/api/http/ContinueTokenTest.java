package io.kubemirror.api.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import module java.base;

import io.kubemirror.api.ApiClient;
import io.kubemirror.model.Revision;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tokens that name the next page (list-watch.md#co-1 to #co-11). */
class ContinueTokenTest {

    @Test
    void continue_token_round_trips() throws Rejection {
        ContinueToken token = ContinueToken.after(new Revision("110"), "a-b/x");
        assertThat(token.encode())
                .isEqualTo(
                        "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTEwLCJzdGFydCI6Ii9hLWIveFx1MDAwMCJ9");
        assertThat(ContinueToken.decode(token.encode())).isEqualTo(token);
    }

    @Test
    void continue_token_with_a_revision_beyond_64_bits_round_trips() throws Rejection {
        ContinueToken token =
                ContinueToken.after(new Revision("340282366920938463463374607431768211455"), "x");
        assertThat(ContinueToken.decode(token.encode())).isEqualTo(token);
    }

    @Test
    void negative_revision_means_the_latest() throws Rejection {
        assertThat(decode("{\"v\":\"meta.k8s.io/v1\",\"rv\":-7,\"start\":\"x\"}"))
                .isEqualTo(new ContinueToken(null, "x"));
    }

    @Test
    void unknown_members_are_ignored() throws Rejection {
        assertThat(
                        decode(
                                "{\"z\":{\"rv\":[1]},\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"/x\"}"))
                .isEqualTo(new ContinueToken(new Revision("5"), "x"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"v\":\"x\",\"rv\":1,\"start\":\"a\"}|server does not recognize this encoded"
                        + " version x",
                "{\"v\":\"meta.k8s.io/v1\",\"rv\":0,\"start\":\"a\"}|incorrect encoded start"
                        + " resourceVersion (version meta.k8s.io/v1)",
                "{\"v\":\"meta.k8s.io/v1\",\"start\":\"a\"}|incorrect encoded start"
                        + " resourceVersion (version meta.k8s.io/v1)",
                "{\"v\":\"meta.k8s.io/v1\",\"rv\":5}|encoded start key empty (version"
                        + " meta.k8s.io/v1)",
                "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"a/../b\"}|a/../b",
                "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"/a//b\"}|/a//b",
                "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"a/\"}|a/",
                "\u00e9|invalid character '\u00c3' looking for beginning of value",
                "abc|invalid character 'a' looking for beginning of value",
                "{\"v\":\"meta.k8s.io/v1\",\"rv\":5|unexpected end of JSON input"
            })
    void co_9_invalid_continue_token_is_rejected_with_the_reason(String json, String why) {
        assertThat(message(encoded(json))).isEqualTo(why);
    }

    @Test
    void co_1a_root_start_key_means_the_beginning() throws Rejection {
        assertThat(decode("{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"/\"}").start()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"YWJ=,3", "YWJjZ,4", "YW*j,2", "Y,0"})
    void co_9_invalid_base64_is_rejected_with_the_position(String text, int index) {
        assertThat(message(text)).isEqualTo("illegal base64 data at input byte " + index);
    }

    private static ContinueToken decode(String json) throws Rejection {
        return ContinueToken.decode(encoded(json));
    }

    private static String encoded(String json) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }

    private static String message(String token) {
        Rejection rejection =
                catchThrowableOfType(Rejection.class, () -> ContinueToken.decode(token));
        assertThat(rejection.reply().code()).isEqualTo(400);
        String message =
                ApiClient.tree(new String(rejection.reply().body(), StandardCharsets.UTF_8))
                        .path("message")
                        .asString();
        String prefix = "invalid continue token: continue key is not valid: ";
        assertThat(message).startsWith(prefix);
        return message.substring(prefix.length());
    }
}
