package io.kubemirror.feature.etcd;

import static io.kubemirror.app.ConfigurationMistakes.mistake;
import static io.kubemirror.app.ConfigurationMistakes.printed;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class EtcdConfigurationErrorTest {

    @ParameterizedTest(name = "{0}")
    @CsvFileSource(
            resources = "/io/kubemirror/feature/etcd/configuration-errors.csv",
            delimiter = '|',
            quoteCharacter = '\'')
    void configuration_error_about_etcd_names_the_property(String mistake, String line) {
        assertThat(
                        mistake(
                                "kubemirror.upstream.etcd.endpoints=http://127.0.0.1:1",
                                "kubemirror.upstream.etcd.acknowledge-no-authorization=true",
                                "kubemirror.resources[0].resource=things.v1.",
                                "kubemirror.resources[0].etcd.prefix=/registry/things/",
                                "kubemirror.resources[0].etcd.kind=Thing",
                                mistake))
                .startsWith(line);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    jks.other.key.alias=a | cannot be read; correct spring.ssl.bundle.pem.etcd
                    pem.etcd.truststore.certificate=/no/such/ca.crt | cannot be read; correct spring.ssl.bundle.pem.etcd
                    pem.etcd.keystore.private-key=hidden-key | cannot be read; correct spring.ssl.bundle.pem.etcd
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
