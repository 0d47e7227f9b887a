package io.kubemirror.access;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Stands in for tokens wherever they are remembered or compared, so that none is kept and the time
 * of a comparison tells nothing about one. The key is this process's own.
 */
final class Digests {

    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    /**
     * Digests by a key.
     *
     * @param key random bytes, never empty
     */
    Digests(byte[] key) {
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    /** What stands for a token. */
    byte[] of(String token) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal(token.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, impossible);
        }
    }

    /** The same as a text. */
    String text(String token) {
        return HexFormat.of().formatHex(of(token));
    }
}
