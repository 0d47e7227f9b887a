package io.kubemirror.feature.access;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Computes keyed digests of tokens. Digests replace tokens wherever they are stored or compared, so
 * that no token is kept in memory and the duration of a comparison reveals nothing. The key is
 * private to the process.
 */
final class TokenHasher {

    private static final String ALGORITHM = "HmacSHA256";

    /** The key length in bytes, equal to the length of the digests. */
    private static final int KEY_BYTES = 32;

    private final SecretKeySpec key;

    /** Creates a hasher with a random key. */
    TokenHasher() {
        byte[] random = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(random);
        this.key = new SecretKeySpec(random, ALGORITHM);
    }

    /** Returns the digest of a token. */
    byte[] of(String token) {
        return mac().doFinal(token.getBytes(StandardCharsets.UTF_8));
    }

    private Mac mac() {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac;
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("the JDK does not support " + ALGORITHM, impossible);
        }
    }

    /** Returns the digest of several texts in this order, as text. */
    String text(List<String> parts) {
        Mac mac = mac();
        for (String part : parts) {
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            mac.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
            mac.update(bytes);
        }
        return HexFormat.of().formatHex(mac.doFinal());
    }
}
