package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.app.health.Finding.Severity;
import io.kubemirror.model.Names;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Reports the findings of the diagnosis, among them that the API server has been silent for too
 * long (list-watch.md#bo-6): down with an error, degraded with a warning.
 *
 * <p>This indicator is for alerts and belongs to neither readiness nor liveness: mirrors keep
 * serving, and a restart does not bring back the API server.
 */
public final class FindingsHealthIndicator extends AbstractHealthIndicator {

    /** The process works, but something is wrong. */
    public static final Status DEGRADED = new Status("DEGRADED");

    private final ProcessDescription process;

    /** Creates the indicator. */
    public FindingsHealthIndicator(ProcessDescription process) {
        super("Cannot diagnose the process");
        this.process = process;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        Map<Severity, List<String>> texts = new EnumMap<>(Severity.class);
        for (Finding finding : Diagnosis.of(process, _ -> true).findings()) {
            String mirror = finding.mirror().isEmpty() ? "" : finding.mirror() + ": ";
            texts.computeIfAbsent(finding.severity(), _ -> new ArrayList<>())
                    .add(mirror + finding.text());
        }
        if (texts.containsKey(Severity.ERROR)) {
            builder.down();
        } else {
            builder.status(texts.containsKey(Severity.WARNING) ? DEGRADED : Status.UP);
        }
        texts.forEach((severity, lines) -> builder.withDetail(Names.kebab(severity), lines));
    }
}
