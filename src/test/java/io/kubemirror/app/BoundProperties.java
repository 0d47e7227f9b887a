package io.kubemirror.app;

import module java.base;

import io.kubemirror.app.config.BoundRecords;
import io.kubemirror.app.config.ConfigurationErrorReporter;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Binds and validates the configuration as Spring Boot does at the start. */
public final class BoundProperties {

    /** That without settings, whose types are asked for again and again. */
    private static final BoundRecords STANDARD = records(Map.of());

    private BoundProperties() {}

    /** The configuration with these settings; pods are mirrored unless they name a resource. */
    static MirrorProperties of(Map<String, String> settings) {
        return records(settings).get(MirrorProperties.class);
    }

    /** All records of the configuration with these settings. */
    public static BoundRecords records(Map<String, String> settings) {
        Map<String, String> complete = new HashMap<>(settings);
        complete.putIfAbsent("kubemirror.resources[0].resource", "pods");
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource("test", Map.copyOf(complete)));
        return BoundRecords.bind(environment);
    }

    /** The types of all records by their prefixes below {@code kubemirror}, empty for none. */
    public static Map<String, List<Class<?>>> types() {
        return STANDARD.all().stream()
                .map(Record::getClass)
                .collect(
                        Collectors.groupingBy(
                                type -> {
                                    String prefix = BoundRecords.prefix(type).toString();
                                    return prefix.substring(
                                            Math.min(prefix.length(), "kubemirror.".length()));
                                },
                                Collectors.mapping(type -> type, Collectors.toList())));
    }

    /** The types of an element of the list of resources, first that of the application. */
    public static List<Class<? extends Record>> elements() {
        return STANDARD.all().stream()
                .flatMap(one -> Arrays.stream(one.getClass().getRecordComponents()))
                .filter(component -> component.getName().equals("resources"))
                .<Class<? extends Record>>map(
                        component ->
                                ResolvableType.forType(component.getGenericType())
                                        .getGeneric(0)
                                        .toClass()
                                        .asSubclass(Record.class))
                .toList();
    }

    /**
     * The line that a start with this failure ends with, empty if the failure is not a
     * configuration error.
     */
    public static String mistake(Throwable failure) {
        FailureAnalysis analysis = new ConfigurationErrorReporter(null).analyze(failure);
        return analysis == null ? "" : ConfigurationErrorReporter.line(analysis);
    }
}
