package io.kubemirror.app.health;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.health.Finding.Kind;
import io.kubemirror.app.health.Finding.Severity;
import io.kubemirror.model.MemoryBudget;

import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

class FindingsHealthIndicatorTest {

    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

    private final List<Finding> findings = new ArrayList<>();

    private final FindingsHealthIndicator health =
            new FindingsHealthIndicator(
                    new ProcessDescription(
                            "1.0",
                            "https://api (test)",
                            NOW,
                            List::of,
                            _ -> List.of(),
                            () -> findings,
                            List.of(MemoryBudget.unlimited()),
                            () -> NOW));

    @Test
    void status_is_that_of_the_most_severe_finding() {
        assertThat(status()).isEqualTo(Status.UP);
        findings.add(new Finding(Severity.NOTE, Kind.DIFFERENCE, "pods", "it differed"));
        assertThat(status()).isEqualTo(Status.UP);
        findings.add(new Finding(Severity.WARNING, Kind.STORAGE, "", "the disk is full"));
        assertThat(status()).isEqualTo(FindingsHealthIndicator.DEGRADED);
        findings.add(new Finding(Severity.ERROR, Kind.CUT_OFF, "pods", "nobody is there"));
        assertThat(status()).isEqualTo(Status.DOWN);
    }

    @Test
    void details_are_the_texts_of_the_diagnosis() {
        findings.add(new Finding(Severity.WARNING, Kind.STORAGE, "", "the disk is full"));
        findings.add(new Finding(Severity.ERROR, Kind.CUT_OFF, "pods", "nobody is there"));

        assertThat(health().getDetails())
                .isEqualTo(
                        Map.of(
                                "error", List.of("pods: nobody is there"),
                                "warning", List.of("the disk is full")));
    }

    private Status status() {
        return health().getStatus();
    }

    private Health health() {
        return Objects.requireNonNull(health.health());
    }
}
