package io.kubemirror.app;

import module java.base;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.AotDetector;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.SpringProperties;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;

/**
 * Makes {@code management.opentelemetry.enabled} the switch for traces and metrics by OTLP: without
 * it, none of the classes is loaded. Boot alone would create a tracer that records nothing, and
 * send metrics to this machine.
 *
 * <p>The beans of the image are selected when it is built, without telemetry. With telemetry,
 * Spring evaluates the configuration classes at the start instead, which takes a moment longer.
 */
final class TelemetrySwitch
        implements AutoConfigurationImportFilter,
                EnvironmentAware,
                ApplicationListener<ApplicationEnvironmentPreparedEvent> {

    private static final String BOOT = "org.springframework.boot.";
    private static final String OTLP_METRICS = "micrometer.metrics.autoconfigure.export.otlp.";

    private Environment environment = new StandardEnvironment();

    @Override
    public void setEnvironment(Environment environment) {
        this.environment = environment;
    }

    private static boolean isOn(Environment environment) {
        return environment.getProperty(
                "management.opentelemetry.enabled", Boolean.class, Boolean.FALSE);
    }

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        if (isOn(event.getEnvironment())) {
            SpringProperties.setProperty(AotDetector.AOT_ENABLED, "false");
        }
    }

    @Override
    public boolean[] match(@Nullable String[] configurations, AutoConfigurationMetadata metadata) {
        boolean on = isOn(environment);
        boolean[] included = new boolean[configurations.length];
        for (int i = 0; i < configurations.length; i++) {
            included[i] = on || !isTelemetry(configurations[i]);
        }
        return included;
    }

    private static boolean isTelemetry(@Nullable String configuration) {
        return configuration != null
                && Stream.of("opentelemetry.", "micrometer.tracing.", OTLP_METRICS)
                        .anyMatch(part -> configuration.startsWith(BOOT + part));
    }
}
