package io.kubemirror.app;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.validation.ValidationBindHandler;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.validation.beanvalidation.LocalValidatorFactoryBean;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Binds and validates the configuration as Spring Boot does at the start. */
final class BoundProperties {

    private BoundProperties() {}

    /** The configuration with these settings; pods are mirrored unless they name a resource. */
    static MirrorProperties of(Map<String, String> settings) {
        Map<String, String> complete = new HashMap<>(settings);
        complete.putIfAbsent("kubemirror.resources[0].resource", "pods");
        try (LocalValidatorFactoryBean validator = new LocalValidatorFactoryBean()) {
            validator.afterPropertiesSet();
            ApplicationConversionService conversions = new ApplicationConversionService();
            conversions.addConverter(new DurationRangeConverter());
            conversions.addConverter(new MirrorProperties.ResourceConverter());
            return new Binder(
                            List.of(new MapConfigurationPropertySource(complete)),
                            null,
                            conversions)
                    .bindOrCreate(
                            "kubemirror",
                            Bindable.of(MirrorProperties.class),
                            new ValidationBindHandler(validator));
        }
    }

    /**
     * The line that a start with this failure ends with, empty if the failure is not a
     * configuration error.
     */
    static String mistake(Throwable failure) {
        FailureAnalysis analysis = new ConfigurationErrorReporter(null).analyze(failure);
        return analysis == null ? "" : ConfigurationErrorReporter.line(analysis);
    }
}
