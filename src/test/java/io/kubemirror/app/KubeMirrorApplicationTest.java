package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which arguments start the server. */
class KubeMirrorApplicationTest {

    @ParameterizedTest
    @CsvSource({
        "--server.port=1, true",
        "--kubemirror.resources[0].resource=pods, true",
        "--debug, true",
        "--kubemirror.upstream.server=, true",
        "--server.port, false",
        "--help, false",
        "--resource=a.b, false",
        "serve, false",
        "-x.y=z, false"
    })
    void only_properties_start_the_server(String argument, boolean starts) {
        assertThat(KubeMirrorApplication.isProperty(argument)).isEqualTo(starts);
    }
}
