package io.kubemirror.access;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.List;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Stands in for tokens wherever they are remembered or compared, so that none is kept and the time
 * of a comparison tells nothing about one. The key is this process's own.
 */
final class TokenHasher {

    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    /**
     * Digests by a key.
     *
     * @param key random bytes, never empty
     */
    TokenHasher(byte[] key) {
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    /** What stands for a token. */
    byte[] of(String token) {
        return mac().doFinal(token.getBytes(StandardCharsets.UTF_8));
    }

    private Mac mac() {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac;
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, impossible);
        }
    }

    /** What stands for several texts in this order, as a text. */
    String text(List<String> parts) {
        Mac mac = mac();
        for (String part : parts) {
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            mac.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
            mac.update(bytes);
        }
        return HexFormat.of().formatHex(mac.doFinal());
    }

    /** The same as a text. */
    String text(String token) {
        return HexFormat.of().formatHex(of(token));
    }
}
