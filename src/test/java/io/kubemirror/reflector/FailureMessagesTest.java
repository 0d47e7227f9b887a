package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.MirrorMemory.OverBudgetException.Excess;
import io.kubemirror.mirror.MirrorMemory.OverBudgetException.Limit;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.Failure.Unreachable.Kind;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What operators read about a failure has the place and the remedy. */
class FailureMessagesTest {

    private static final String SERVER = "kubemirror.upstream.server";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    400 | correct the selectors in kubemirror.resources
                    401 | check the credentials that kubemirror.upstream.server refers to
                    403 | list and watch on the resource, or mirror only namespaces where it has them
                    404 | check the path of the URL that kubemirror.upstream.server refers to
                    """)
    void refusal_has_a_remedy(int code, String remedy) {
        assertThat(FailureMessages.failed(Failure.Refused.of(code, "no"), SERVER))
                .startsWith("HTTP " + code)
                .contains(": no; ", remedy);
    }

    @Test
    void certificate_that_is_not_trusted_has_the_place_of_the_ca() {
        assertThat(FailureMessages.failed(new Unreachable("TLS failed", Kind.UNTRUSTED), SERVER))
                .startsWith("TLS failed; check the certificates that " + SERVER)
                .contains("certificate-authority", "kubemirror.upstream.kubeconfig")
                .doesNotContain("running");
    }

    @Test
    void small_limit_is_written_in_bytes() {
        assertThat(FailureMessages.tooLarge(new Excess(Limit.BYTES, 1_024, 0, 2_700, false)))
                .startsWith("1 objects need 2,700 bytes so far, but max-bytes allows 1,024 bytes");
    }
}
