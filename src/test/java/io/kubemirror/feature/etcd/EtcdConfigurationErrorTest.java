package io.kubemirror.feature.etcd;

import static io.kubemirror.app.ConfigurationMistakes.mistake;
import static io.kubemirror.app.ConfigurationMistakes.printed;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class EtcdConfigurationErrorTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    kubemirror.upstream.etcd.acknowledge-no-authorization=false | kubemirror.upstream.etcd.acknowledge-no-authorization: is not true; kubemirror reads etcd around the authorization of the API server, and serves it to its own clients: read the threat model, and set it to true
                    kubemirror.upstream.etcd.endpoints= | kubemirror.upstream.etcd.endpoints: is missing; set it to the client URLs of the members, for example https://10.0.0.1:2379
                    kubemirror.upstream.etcd.endpoints=10.0.0.1:2379 | kubemirror.upstream.etcd.endpoints[0]: is not the URL of a member; use scheme, host and port, for example https://10.0.0.1:2379
                    kubemirror.upstream.etcd.endpoints=http://:secret@a:1 | kubemirror.upstream.etcd.endpoints[0]: is not the URL of a member; use scheme, host and port, for example https://10.0.0.1:2379
                    kubemirror.upstream.etcd.endpoints=http://a:1,https://b:1 | kubemirror.upstream.etcd.endpoints: mixes http and https; use one of them
                    kubemirror.upstream.etcd.ssl-bundle=etcd | kubemirror.upstream.etcd.ssl-bundle: is not used with http; use https, or remove it
                    kubemirror.upstream.etcd.password-file=/p | kubemirror.upstream.etcd.user: is missing; set both, or none
                    kubemirror.upstream.etcd.user=u | kubemirror.upstream.etcd.password-file: is missing; set both, or none
                    kubemirror.upstream.etcd.certificate=c | kubemirror.upstream.etcd.certificate: unknown property
                    kubemirror.resources[0].etcd.prefix=/registry/widgets | kubemirror.resources[0].etcd.prefix: does not end with a slash; use the beginning of the keys, for example /calico/resources/v3/projectcalico.org/networkpolicies/
                    kubemirror.resources[0].etcd.namespace=false | kubemirror.resources[0].etcd.namespace: unknown property
                    kubemirror.resources[0].etcd.namespaced=no-way | kubemirror.resources[0].etcd.namespaced: cannot be read
                    kubemirror.resources[0].etcd.endpoints=http://a:1 | kubemirror.resources[0].etcd.endpoints: unknown property
                    kubemirror.resources[0].etcd.kind=widget | kubemirror.resources[0].etcd.kind: is not a kind; use a name such as NetworkPolicy
                    kubemirror.resources[0].resource=widgets.example.com | kubemirror.resources[0].resource: is not complete, and etcd has no discovery; use plural, version and group, for example networkpolicies.v3.projectcalico.org, or configmaps.v1. for the core group
                    kubemirror.resources[0].strategy=watch-list | kubemirror.resources[0].strategy: watch-list needs an API server; use auto for a resource in etcd
                    kubemirror.resources[0].reads=verify | kubemirror.resources[0].reads: needs an API server; use cache for a resource in etcd
                    kubemirror.resources[1].resource=widgets | kubemirror.resources[1].etcd: widgets.v1.example.com has another source in this configuration; use one source for a resource
                    """)
    void configuration_error_about_etcd_is_one_line_with_the_property_and_the_fix(
            String mistake, String line) {
        assertThat(
                        mistake(
                                "kubemirror.upstream.etcd.endpoints=http://127.0.0.1:1",
                                "kubemirror.upstream.etcd.acknowledge-no-authorization=true",
                                "kubemirror.resources[0].resource=widgets.v1.example.com",
                                "kubemirror.resources[0].etcd.prefix=/registry/widgets/",
                                "kubemirror.resources[0].etcd.kind=Widget",
                                mistake))
                .isEqualTo(line);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    resource=widgets.v1.example.com | [0].etcd: is not used; set kubemirror.upstream.etcd.endpoints, or remove it
                    etcd.namespaced=false | [0].namespaces: cannot be used with etcd.namespaced=false; remove one of them
                    etcd.kind=Secret | [0].etcd.kind: all clients of kubemirror could read secrets; remove it, or set kubemirror.allow-secrets=true to allow this
                    """)
    void contradiction_about_etcd_is_reported_on_one_line(String setting, String line) {
        String endpoints =
                line.contains("not used")
                        ? "kubemirror.upstream.lost-after=1m"
                        : "kubemirror.upstream.etcd.endpoints=http://127.0.0.1:1";
        String acknowledged =
                line.contains("not used")
                        ? "kubemirror.upstream.lost-after=1m"
                        : "kubemirror.upstream.etcd.acknowledge-no-authorization=true";
        assertThat(
                        mistake(
                                endpoints,
                                acknowledged,
                                "kubemirror.resources[0].resource=things.v1.",
                                "kubemirror.resources[0].namespaces=a",
                                "kubemirror.resources[0].etcd.prefix=/registry/things/",
                                "kubemirror.resources[0].etcd.kind=Thing",
                                "kubemirror.resources[0]." + setting))
                .isEqualTo("kubemirror.resources" + line);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    jks.other.key.alias=a | there is no bundle of that name; configure spring.ssl.bundle.pem.etcd
                    pem.etcd.truststore.certificate=/no/such/ca.crt | the bundle cannot be read; correct spring.ssl.bundle.pem.etcd
                    pem.etcd.keystore.private-key=hidden-key | the bundle cannot be read; correct spring.ssl.bundle.pem.etcd
                    """)
    void bundle_that_cannot_be_read_is_reported_on_one_line(
            String bundle, String problem, CapturedOutput output) {
        assertThat(
                        printed(
                                output,
                                "kubemirror.upstream.etcd.endpoints=https://127.0.0.1:1",
                                "kubemirror.upstream.etcd.acknowledge-no-authorization=true",
                                "kubemirror.upstream.etcd.ssl-bundle=etcd",
                                "kubemirror.resources[0].resource=things.v1.",
                                "kubemirror.resources[0].etcd.prefix=/registry/things/",
                                "kubemirror.resources[0].etcd.kind=Thing",
                                "spring.ssl.bundle." + bundle))
                .contains("kubemirror.upstream.etcd.ssl-bundle", problem)
                .doesNotContain("hidden-key");
    }
}
