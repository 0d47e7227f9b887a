package io.kubemirror.feature.disk;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;

import javax.crypto.Cipher;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.HKDFParameterSpec;

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

    private final SecretKey key;
    private final byte[] salt;
    private final Cipher cipher;
    private final SecureRandom random = new SecureRandom();

    /**
     * Creates the cipher of a file.
     *
     * @param secret the configured key
     * @param salt the random bytes of the file
     * @param header its first record, which cannot be changed without the key
     */
    RecordCipher(byte[] secret, byte[] salt, byte[] header) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(header);
            this.key = derive(secret, salt, "kubemirror " + HexFormat.of().formatHex(digest));
            this.salt = salt.clone();
            this.cipher = Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK has no AES or HKDF", e);
        }
    }

    private static SecretKey derive(byte[] secret, byte[] salt, String purpose)
            throws GeneralSecurityException {
        return KDF.getInstance("HKDF-SHA256")
                .deriveKey(
                        "AES",
                        HKDFParameterSpec.ofExtract()
                                .addIKM(secret)
                                .addSalt(salt)
                                .thenExpand(purpose.getBytes(UTF_8), KEY_LENGTH));
    }

    /** Returns a name of a key, which tells nothing about it. */
    static String name(byte[] secret) {
        try {
            byte[] derived =
                    derive(secret, new byte[KEY_LENGTH], "kubemirror key name").getEncoded();
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(derived);
            return HexFormat.of().formatHex(Arrays.copyOf(digest, 8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK has no HKDF or SHA-256", e);
        }
    }

    /**
     * Encrypts a record.
     *
     * @param sequence its number in the file, which is authenticated too
     */
    byte[] encrypt(long sequence, byte[] plain, int length) {
        try {
            byte[] nonce = new byte[NONCE];
            random.nextBytes(nonce);
            init(Cipher.ENCRYPT_MODE, nonce, 0, sequence);
            byte[] sealed = new byte[NONCE + cipher.getOutputSize(length)];
            System.arraycopy(nonce, 0, sealed, 0, NONCE);
            cipher.doFinal(plain, 0, length, sealed, NONCE);
            return sealed;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot encrypt", e);
        }
    }

    /**
     * Decrypts a record.
     *
     * @throws GeneralSecurityException if it is not one of this file, number, and key
     */
    byte[] decrypt(long sequence, byte[] sealed, int length) throws GeneralSecurityException {
        if (length < NONCE) {
            throw new GeneralSecurityException("the record is too short");
        }
        init(Cipher.DECRYPT_MODE, sealed, 0, sequence);
        return cipher.doFinal(sealed, NONCE, length - NONCE);
    }

    private void init(int mode, byte[] nonce, int offset, long sequence)
            throws GeneralSecurityException {
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce, offset, NONCE));
        cipher.updateAAD(salt);
        cipher.updateAAD(ByteBuffer.allocate(Long.BYTES).putLong(0, sequence));
    }
}
