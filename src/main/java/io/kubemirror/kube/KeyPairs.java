package io.kubemirror.kube;

import module java.base;

import java.security.Signature;
import java.security.cert.X509Certificate;

/** Tells whether certificates and private keys belong together. */
public final class KeyPairs {

    private static final byte[] TEXT = new byte[32];

    private KeyPairs() {}

    /** Returns whether a certificate verifies what a key signs. */
    public static boolean isPair(PrivateKey key, X509Certificate certificate) {
        String algorithm = certificate.getPublicKey().getAlgorithm();
        try {
            Signature signature =
                    Signature.getInstance(
                            switch (algorithm) {
                                case "RSA" -> "SHA256withRSA";
                                case "EC" -> "SHA256withECDSA";
                                default -> algorithm;
                            });
            signature.initSign(key);
            signature.update(TEXT);
            byte[] signed = signature.sign();
            signature.initVerify(certificate.getPublicKey());
            signature.update(TEXT);
            return signature.verify(signed);
        } catch (GeneralSecurityException _) {
            return false;
        }
    }
}
