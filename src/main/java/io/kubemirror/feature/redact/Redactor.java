package io.kubemirror.feature.redact;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.feature.redact.StoredFields.Redaction;
import io.kubemirror.kube.json.ByteRanges;

import org.jspecify.annotations.Nullable;

/**
 * Computes what takes the place of redacted values: a value of the same JSON type, so that clients
 * can still read the object (list-watch.md#ca-4b).
 *
 * <p>A hash depends on the object and the name of the member, too. Somebody who may write one
 * object can therefore not find the value of another one by trying. For use by one thread at a
 * time.
 */
final class Redactor implements ByteRanges.Replacement {

    private static final String HMAC = "HmacSHA256";

    /** The length of a hash, in bytes. In hexadecimal digits it is also valid as Base64. */
    private static final int HASH = 16;

    private static final byte[] WORD = "\"redacted\"".getBytes(US_ASCII);
    private static final byte[] ZERO = {'0'};
    private static final byte[] FALSE = "false".getBytes(US_ASCII);
    private static final byte[] NULL = "null".getBytes(US_ASCII);

    private final @Nullable Mac mac;
    private final byte[] object;

    private Redactor(@Nullable Mac mac, String object) {
        this.mac = mac;
        this.object = (object + "\n").getBytes(UTF_8);
    }

    /** Creates a redactor for one object, null if nothing is redacted. */
    static @Nullable Redactor of(StoredFields stored, String uid, String namespace, String name) {
        if (stored.redacted().isEmpty()) {
            return null;
        }
        return new Redactor(
                stored.redaction() == Redaction.FIXED ? null : mac(stored),
                uid + "/" + namespace + "/" + name);
    }

    /** Returns a text that differs for different keys. */
    static String identity(StoredFields stored) {
        return HexFormat.of()
                .formatHex(mac(stored).doFinal("identity".getBytes(UTF_8)), 0, HASH / 2);
    }

    /** Derives the key of hashes. */
    static SecretKey key(SecretKey secret) {
        return new SecretKeySpec(mac(secret).doFinal("redact-fields".getBytes(UTF_8)), HMAC);
    }

    private static Mac mac(StoredFields stored) {
        return mac(Objects.requireNonNull(stored.key(), "hashes need a key"));
    }

    private static Mac mac(SecretKey key) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(key);
            return mac;
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("the JDK has no HMAC", impossible);
        }
    }

    /**
     * Returns what takes the place of a value: of a text a hash or a word, of a number another one
     * that fits into 32 bits, of a boolean {@code false}. Null stays.
     *
     * @param json has the value from start to end
     * @param name the name of the member, empty for an element of an array
     */
    @Override
    public byte[] replacement(byte[] json, int start, int end, String name) {
        return switch (json[start]) {
            case '"' -> mac == null ? WORD : text(hash(mac, json, start, end, name));
            case 't', 'f' -> FALSE;
            case 'n' -> NULL;
            default -> mac == null ? ZERO : number(hash(mac, json, start, end, name));
        };
    }

    private byte[] hash(Mac keyed, byte[] json, int start, int end, String name) {
        keyed.update(object);
        keyed.update((name + "\n").getBytes(UTF_8));
        keyed.update(json, start, end - start);
        return keyed.doFinal();
    }

    private static byte[] text(byte[] hash) {
        String digits = HexFormat.of().formatHex(Arrays.copyOf(hash, HASH));
        return ("\"" + digits + "\"").getBytes(US_ASCII);
    }

    private static byte[] number(byte[] hash) {
        int positive = ByteBuffer.wrap(hash).getInt() & Integer.MAX_VALUE;
        return Integer.toString(positive).getBytes(US_ASCII);
    }
}
