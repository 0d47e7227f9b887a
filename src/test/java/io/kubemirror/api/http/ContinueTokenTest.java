package io.kubemirror.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.Revision;

import org.junit.jupiter.api.Test;

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
    void unknown_members_are_ignored() throws Rejection {
        assertThat(
                        decode(
                                "{\"z\":{\"rv\":[1]},\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"/x\"}"))
                .isEqualTo(new ContinueToken(new Revision("5"), "x"));
    }

    private static ContinueToken decode(String json) throws Rejection {
        return ContinueToken.decode(encoded(json));
    }

    private static String encoded(String json) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }
}
