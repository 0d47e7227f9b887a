package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import module java.base;

import io.kubemirror.kube.ResponseBody.BudgetedInputStream;
import io.kubemirror.kube.json.TransportFailure.MalformedResponseException;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.testing.ClientLimits;

import org.junit.jupiter.api.Test;

class BudgetedInputStreamTest {

    private static final int STEP = 64 * 1024;

    /** What a step of a document takes as a tree. */
    private static final long DRAWN = 8L * STEP;

    private final MemoryBudget budget = MemoryBudget.of(4 * DRAWN);

    @Test
    void memory_is_drawn_while_the_document_arrives() throws Exception {
        try (InputStream document = document(3 * STEP, 1 << 20)) {
            assertThat(budget.used()).isZero();

            document.readNBytes(1);
            assertThat(budget.used()).isEqualTo(DRAWN);

            document.readNBytes(STEP);
            assertThat(budget.used()).isEqualTo(2 * DRAWN);

            assertThat(document.read()).isZero();
            assertThat(document.readAllBytes()).hasSize(2 * STEP - 2);
            assertThat(budget.used()).isEqualTo(3 * DRAWN);
        }
    }

    @Test
    void document_over_the_limit_is_refused() throws Exception {
        try (InputStream document = document(1001, 1000)) {
            assertThatExceptionOfType(MalformedResponseException.class)
                    .isThrownBy(document::readAllBytes)
                    .withMessage("a document is larger than 1000 bytes");
        }
        assertThat(budget.used()).isZero();
    }

    @Test
    void document_without_memory_is_refused_and_leaves_the_budget_as_it_was() throws Exception {
        assertThat(budget.tryAcquire(2 * DRAWN)).isTrue();

        try (InputStream document = document(3 * STEP, 1 << 20)) {
            assertThatExceptionOfType(MalformedResponseException.class)
                    .isThrownBy(document::readAllBytes)
                    .withMessageStartingWith("not enough memory for a document of more than ");
            assertThat(budget.used()).isEqualTo(4 * DRAWN);
        }

        assertThat(budget.used()).isEqualTo(2 * DRAWN);
    }

    private InputStream document(int size, int limit) {
        return budgeted(new ByteArrayInputStream(new byte[size]), limit);
    }

    private InputStream budgeted(InputStream source, int limit) {
        return new BudgetedInputStream(
                source, ClientLimits.of("1", Duration.ofMinutes(1), limit, budget));
    }
}
