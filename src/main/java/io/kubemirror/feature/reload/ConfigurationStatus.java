package io.kubemirror.feature.reload;

import module java.base;

import io.kubemirror.app.health.Finding;
import io.kubemirror.app.health.Finding.Kind;
import io.kubemirror.app.health.Finding.Severity;
import io.kubemirror.app.health.FindingSource;
import io.kubemirror.app.health.MirrorsHealthIndicator;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Whether the configuration in force is that of the files. Reported in health, metrics, and the
 * diagnosis.
 *
 * <p>Refused files are no reason to end the process, because it goes on with the configuration that
 * it has. They are a reason to look: the next start would fail. Neither readiness nor liveness
 * includes this indicator.
 *
 * <p>One thread reports; any thread may read.
 */
public final class ConfigurationStatus extends AbstractHealthIndicator
        implements FindingSource, MeterBinder {

    /**
     * The configuration in force and what keeps it from being that of the files.
     *
     * @param since when it was put in force
     * @param problem why the files are refused, without any secret; empty if they are not
     * @param restart the properties whose values in the files need a restart, without the values
     */
    record Difference(Instant since, String problem, List<String> restart) {

        /** Copies the list. */
        Difference {
            restart = List.copyOf(restart);
        }
    }

    private final InstantSource clock;
    private final AtomicLong applied = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();

    /** Immutable, and replaced as a whole. */
    private volatile Difference last;

    /** Creates the status of the configuration that the process starts with. */
    public ConfigurationStatus(InstantSource clock) {
        super("Cannot determine the state of the configuration");
        this.clock = clock;
        this.last = new Difference(clock.instant(), "", List.of());
    }

    /** Returns how the files differ from the configuration in force. */
    Difference difference() {
        return last;
    }

    @Override
    public List<Finding> findings() {
        Difference now = last;
        List<Finding> found = new ArrayList<>();
        if (!now.problem().isEmpty()) {
            String text = "the configuration files are not in force: " + now.problem();
            found.add(new Finding(Severity.WARNING, Kind.CONFIGURATION, "", text));
        }
        if (!now.restart().isEmpty()) {
            String text = "needs a restart to take effect: " + String.join(", ", now.restart());
            String action = "Restart kubemirror when it suits you.";
            found.add(new Finding(Severity.NOTE, Kind.CONFIGURATION, "", text, action));
        }
        return found;
    }

    /**
     * Records that the content of the files was put in force.
     *
     * @param restart the properties that keep their values until a restart
     */
    public void applied(List<String> restart) {
        last = new Difference(clock.instant(), "", restart);
        applied.incrementAndGet();
    }

    /**
     * Records that the files cannot be put in force.
     *
     * @param problem why, in one line, without any secret
     */
    public void refused(String problem) {
        last = new Difference(last.since(), problem, last.restart());
        refused.incrementAndGet();
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        Difference now = last;
        builder.status(now.problem().isEmpty() ? Status.UP : MirrorsHealthIndicator.DEGRADED);
        builder.withDetail("since", now.since().toString());
        if (!now.problem().isEmpty()) {
            builder.withDetail("problem", now.problem());
        }
        if (!now.restart().isEmpty()) {
            builder.withDetail("needsRestart", now.restart());
        }
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        reloads("applied", applied, registry);
        reloads("refused", refused, registry);
        Gauge.builder(
                        "kubemirror.configuration.last.reload.successful",
                        this,
                        status -> status.last.problem().isEmpty() ? 1 : 0)
                .description("1 if the configuration in force is that of the files, 0 if refused")
                .register(registry);
        Gauge.builder(
                        "kubemirror.configuration.needs.restart",
                        this,
                        status -> status.last.restart().size())
                .description("Properties in the files that take effect after a restart")
                .register(registry);
    }

    private static void reloads(String result, AtomicLong number, MeterRegistry registry) {
        FunctionCounter.builder("kubemirror.configuration.reloads", number, AtomicLong::get)
                .description("Changes of the configuration files")
                .tag("result", result)
                .register(registry);
    }
}
