package io.kubemirror.feature.etcd;

import static io.kubemirror.feature.etcd.EtcdFixtures.list;
import static io.kubemirror.feature.etcd.EtcdFixtures.objects;
import static io.kubemirror.feature.etcd.EtcdFixtures.ranged;
import static io.kubemirror.feature.etcd.EtcdFixtures.widget;
import static io.kubemirror.feature.etcd.ScriptedEtcd.RANGE;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.Objects.requireNonNull;

import module java.base;

import io.kubemirror.app.BoundProperties;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.testing.ClientLimits;
import io.kubemirror.testing.Results;
import io.kubemirror.testing.WaitLimit;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;

/** Tests {@link EtcdClient} with a member that requires a client certificate. */
class EtcdTlsTest {

    private TestCertificates member;
    private TestCertificates known;
    private TestCertificates unknown;
    @AutoClose private ScriptedEtcd etcd;

    @BeforeEach
    void start() throws Exception {
        member = TestCertificates.of("member", "127.0.0.1");
        known = TestCertificates.of("known", "127.0.0.1");
        unknown = TestCertificates.of("unknown", "127.0.0.1");
        etcd =
                new ScriptedEtcd(
                        new HttpServerOptions()
                                .setSsl(true)
                                .setUseAlpn(true)
                                .setClientAuth(ClientAuth.REQUIRED)
                                .setKeyCertOptions(
                                        new PemKeyCertOptions()
                                                .addCertValue(
                                                        Buffer.buffer(member.certificatePem()))
                                                .addKeyValue(Buffer.buffer(member.keyPem())))
                                .setTrustOptions(
                                        new PemTrustOptions()
                                                .addCertValue(
                                                        Buffer.buffer(known.certificatePem()))));
        etcd.respond(RANGE, ranged(5, widget("a/w", 3, 3)));
    }

    private EtcdClient client(SslBundle tls) {
        return EtcdFixtures.secured(tls, "https://127.0.0.1:" + etcd.port());
    }

    /** The same as for a bundle of the configuration. */
    private static SslBundle of(TestCertificates own, TestCertificates trusted) throws Exception {
        return SslBundle.of(
                new PemSslStoreBundle(
                        PemSslStoreDetails.forCertificate(own.certificatePem())
                                .withPrivateKey(own.keyPem()),
                        PemSslStoreDetails.forCertificate(trusted.certificatePem())));
    }

    @Test
    void member_with_an_unknown_certificate_is_refused() throws Exception {
        SslBundle material = of(known, unknown);
        Failure failure = Results.failure(client(material).list(list(0, null), _ -> {}));

        assertThat(((Failure.Unreachable) failure).kind())
                .isEqualTo(Failure.Unreachable.Kind.UNTRUSTED);
    }

    @Test
    void rotated_client_certificate_is_used_for_new_connections() throws Exception {
        DefaultSslBundleRegistry bundles =
                new DefaultSslBundleRegistry("etcd", of(unknown, member));
        Source client =
                requireNonNull(
                        new EtcdConfiguration()
                                .etcd(
                                        BoundProperties.of(settings()),
                                        ClientLimits.of("test", WaitLimit.GENEROUS, 1 << 20),
                                        bundles,
                                        new Random(1)));
        assertThat(client.list(list(0, null), _ -> {})).isInstanceOf(Result.Failed.class);

        bundles.updateBundle("etcd", of(known, member));

        assertThat(objects(client, list(0, null))).hasSize(1);
    }

    private Map<String, String> settings() {
        return Map.of(
                "kubemirror.upstream.etcd.endpoints", "https://127.0.0.1:" + etcd.port(),
                "kubemirror.upstream.etcd.ssl-bundle", "etcd",
                "kubemirror.upstream.etcd.acknowledge-no-authorization", "true",
                "kubemirror.resources[0].resource", "widgets.v1.example.com",
                "kubemirror.resources[0].etcd.prefix", "/registry/example.com/widgets/",
                "kubemirror.resources[0].etcd.kind", "Widget");
    }
}
