package io.kubemirror.feature.disk;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

/**
 * Encrypts and authenticates the records of one file with AES-256 in Galois/Counter mode. Each file
 * has a key of its own, derived from the configured one, and each record a random nonce, so that no
 * nonce repeats although a torn record is written again.
 *
 * <p>Used by one thread.
 */
final class RecordCipher {

    /** The length of a key, in bytes. */
    static final int KEY_LENGTH = 32;

    private static final int NONCE = 12;
    private static final int TAG_BITS = 128;

    /** What the name of a key is derived for. No header begins with it. */
    private static final byte[] NAME = "kubemirror key name".getBytes(UTF_8);

    private final SecretKey key;
    private final SecureRandom random = new SecureRandom();

    /**
     * Creates the cipher of a file.
     *
     * @param secret the configured key
     * @param salt the random bytes of the file
     * @param header its first record, which cannot be changed without the key
     */
    RecordCipher(byte[] secret, byte[] salt, byte[] header) {
        this.key = derive(secret, salt, header);
    }

    private static SecretKey derive(byte[] secret, byte[] salt, byte[] purpose) {
        try {
            return KDF.getInstance("HKDF-SHA256")
                    .deriveKey(
                            "AES",
                            HKDFParameterSpec.ofExtract()
                                    .addIKM(secret)
                                    .addSalt(salt)
                                    .thenExpand(purpose, KEY_LENGTH));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK has no HKDF", e);
        }
    }

    /** Returns a name of a key, which tells nothing about it. */
    static String name(byte[] secret) {
        byte[] derived = derive(secret, new byte[KEY_LENGTH], NAME).getEncoded();
        return HexFormat.of().formatHex(derived, 0, 8);
    }

    /**
     * Encrypts a record.
     *
     * @param sequence its number in the file, which is authenticated too
     */
    ByteBuffer encrypt(long sequence, ByteBuffer plain) {
        byte[] nonce = new byte[NONCE];
        random.nextBytes(nonce);
        ByteBuffer sealed = ByteBuffer.allocate(NONCE + plain.remaining() + TAG_BITS / Byte.SIZE);
        return crypt(Cipher.ENCRYPT_MODE, nonce, sequence, plain, sealed.put(nonce));
    }

    /**
     * Decrypts a record.
     *
     * @throws RuntimeException if it is not one of this file, number, and key
     */
    ByteBuffer decrypt(long sequence, ByteBuffer sealed) {
        byte[] nonce = new byte[NONCE];
        sealed.get(nonce);
        ByteBuffer plain = ByteBuffer.allocate(sealed.remaining());
        return crypt(Cipher.DECRYPT_MODE, nonce, sequence, sealed, plain);
    }

    private ByteBuffer crypt(
            int mode, byte[] nonce, long sequence, ByteBuffer from, ByteBuffer to) {
        try {
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
            cipher.updateAAD(ByteBuffer.allocate(Long.BYTES).putLong(0, sequence));
            cipher.doFinal(from, to);
            return to.flip();
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("the record is not authentic", e);
        }
    }
}
