package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.testing.JsonTrees;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/**
 * The position at which a list continues (list-watch.md#co-1).
 *
 * @param revision the revision of the list, negative for the most recent
 * @param start the first key that may be returned, relative to the list's root, without slash
 */
record ScriptedContinueToken(long revision, String start) {

    private static final String VERSION = "meta.k8s.io/v1";

    /** The token for what comes after a key. */
    static ScriptedContinueToken after(long revision, String key) {
        return new ScriptedContinueToken(revision, key + "\0");
    }

    String encode() {
        return encode("/" + start);
    }

    /** The form without the leading slash, as tokens in failures have it (list-watch.md#co-1). */
    String encodeForFailure() {
        return encode(start);
    }

    private String encode(String start) {
        ObjectNode json =
                JsonTrees.object().put("v", VERSION).put("rv", revision).put("start", start);
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(JsonTrees.text(json).getBytes(StandardCharsets.UTF_8));
    }

    static ScriptedContinueToken decode(String text) {
        ObjectNode json = json(text);
        String version = json.path("v").asString("");
        if (!version.equals(VERSION)) {
            throw invalid("server does not recognize this encoded version " + version);
        }
        long revision = json.path("rv").asLong(0);
        if (revision == 0) {
            throw invalid("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
        }
        String start = json.path("start").asString("");
        if (start.isEmpty()) {
            throw invalid("encoded start key empty (version meta.k8s.io/v1)");
        }
        return new ScriptedContinueToken(
                revision, start.startsWith("/") ? start.substring(1) : start);
    }

    private static ObjectNode json(String text) {
        try {
            return JsonTrees.parse(
                    new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException | JacksonException e) {
            StatusException invalid = invalid("illegal base64 data at input byte 0");
            invalid.initCause(e);
            throw invalid;
        }
    }

    private static StatusException invalid(String why) {
        return StatusException.badRequest(
                "invalid continue token: continue key is not valid: " + why);
    }
}
