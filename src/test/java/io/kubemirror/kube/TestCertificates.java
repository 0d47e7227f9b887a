package io.kubemirror.kube;

import module java.base;

import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.sec.ECPrivateKey;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

import java.security.cert.X509Certificate;

/**
 * A self-signed certificate with its key.
 *
 * @param certificate the certificate
 * @param keys its keys
 */
public record TestCertificates(X509Certificate certificate, KeyPair keys) {

    /** A certificate for a subject at a host: a name, or an address. */
    public static TestCertificates of(String subject, String host) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        return of(subject, host, generator.generateKeyPair(), Instant.now().plusSeconds(3600));
    }

    /** A certificate of a client with keys of an algorithm, EC or RSA. */
    static TestCertificates ofClient(String algorithm) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        generator.initialize(algorithm.equals("EC") ? 256 : 2048);
        Instant end = Instant.now().plusSeconds(3600);
        return of("client", "127.0.0.1", generator.generateKeyPair(), end);
    }

    /** A certificate for the same keys that is valid for two hours, up to this time. */
    public TestCertificates until(Instant end) throws Exception {
        return of("expiring", "127.0.0.1", keys, end);
    }

    private static TestCertificates of(String subject, String host, KeyPair keys, Instant end)
            throws Exception {
        X500Name name = new X500Name("CN=" + subject);
        int type = host.matches("[0-9.]+") ? GeneralName.iPAddress : GeneralName.dNSName;
        JcaX509v3CertificateBuilder builder =
                new JcaX509v3CertificateBuilder(
                        name,
                        BigInteger.ONE,
                        Date.from(end.minusSeconds(7200)),
                        Date.from(end),
                        name,
                        keys.getPublic());
        builder.addExtension(
                Extension.subjectAlternativeName,
                false,
                new GeneralNames(new GeneralName(type, host)));
        String algorithm = keys.getPublic() instanceof RSAKey ? "SHA256withRSA" : "SHA256withECDSA";
        var signer = new JcaContentSignerBuilder(algorithm).build(keys.getPrivate());
        X509Certificate certificate =
                new JcaX509CertificateConverter().getCertificate(builder.build(signer));
        return new TestCertificates(certificate, keys);
    }

    /** A TLS context that trusts this certificate. */
    public SSLContext trusting() throws Exception {
        KeyStore trusted = store();
        trusted.setCertificateEntry("server", certificate);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust(trusted), null);
        return context;
    }

    /** A TLS context with this certificate that trusts another. */
    public SSLContext serving(TestCertificates client) throws Exception {
        KeyStore own = store();
        own.setKeyEntry("own", keys.getPrivate(), new char[0], new X509Certificate[] {certificate});
        KeyManagerFactory managers =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(own, new char[0]);
        KeyStore trusted = store();
        trusted.setCertificateEntry("client", client.certificate());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), trust(trusted), null);
        return context;
    }

    private static TrustManager[] trust(KeyStore trusted) throws Exception {
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        return trust.getTrustManagers();
    }

    private static KeyStore store() throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    /** The certificate as PEM. */
    public String certificatePem() throws Exception {
        return pem("CERTIFICATE", certificate.getEncoded());
    }

    /** The private key as PEM. */
    public String keyPem() {
        return pem("PRIVATE KEY", keys.getPrivate().getEncoded());
    }

    /** The private key as PEM of a type, as Kubernetes' own tools and OpenSSL write it. */
    String keyPem(String type) throws Exception {
        return switch (type) {
            case "EC PRIVATE KEY" -> {
                BigInteger secret =
                        ((java.security.interfaces.ECPrivateKey) keys.getPrivate()).getS();
                var curve = SECObjectIdentifiers.secp256r1;
                yield pem(type, new ECPrivateKey(256, secret, curve).getEncoded());
            }
            case "RSA PRIVATE KEY" -> {
                var info = PrivateKeyInfo.getInstance(keys.getPrivate().getEncoded());
                yield pem(type, info.parsePrivateKey().toASN1Primitive().getEncoded());
            }
            default -> keyPem();
        };
    }

    private static String pem(String type, byte[] content) {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n";
    }
}
