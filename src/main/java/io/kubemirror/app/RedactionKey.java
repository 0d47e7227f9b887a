package io.kubemirror.app;

import io.kubemirror.feature.redact.RedactingTransform;
import io.kubemirror.source.ObjectTransform;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Optional;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key of hashes that take the place of redacted values: derived from a secret that outlives the
 * process, so that they are the same after a restart; random if there is none.
 */
final class RedactionKey {

    private static final String HMAC = "HmacSHA256";

    /** The length of a random secret, in bytes. */
    private static final int LENGTH = 32;

    private final SecretKeySpec key;

    RedactionKey(Optional<byte[]> secret) {
        byte[] from = secret.orElseGet(() -> random());
        this.key = new SecretKeySpec(digest(new SecretKeySpec(from, HMAC)), HMAC);
    }

    private static byte[] digest(SecretKeySpec key) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(key);
            return mac.doFinal("redact-fields".getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("the JDK does not support " + HMAC, impossible);
        }
    }

    private static byte[] random() {
        byte[] secret = new byte[LENGTH];
        new SecureRandom().nextBytes(secret);
        return secret;
    }

    SecretKeySpec key() {
        return key;
    }

    /** Returns a transform that knows the key. */
    ObjectTransform keyed(ObjectTransform transform) {
        return transform instanceof RedactingTransform redacting
                ? redacting.hashedWith(key)
                : transform;
    }
}
