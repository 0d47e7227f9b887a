package io.kubemirror.app;

import module java.base;

import io.kubemirror.kube.UpstreamSettings.UpstreamException;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Binds settings as the application does. */
public final class BoundProperties {

    private BoundProperties() {}

    /** The configuration with these settings; pods are mirrored unless they name a resource. */
    public static MirrorProperties of(Map<String, String> settings) {
        Map<String, String> complete = new HashMap<>(settings);
        complete.putIfAbsent("kubemirror.resources[0].resource", "pods");
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource("test", Map.copyOf(complete)));
        return MirrorProperties.bind(environment);
    }

    /** The type of the root. */
    public static Class<? extends Record> root() {
        return MirrorProperties.class;
    }

    /** The type of an element of the list of resources. */
    public static Class<? extends Record> element() {
        return ResourceProperties.class;
    }

    /** The property and what is wrong with it, empty if the failure is no configuration error. */
    public static String mistake(Throwable failure) {
        String found = "";
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String one =
                    switch (cause) {
                        case InvalidConfigurationPropertyValueException e ->
                                e.getName() + ": " + e.getReason();
                        case UpstreamException e -> String.valueOf(e.getMessage());
                        case UnboundConfigurationPropertiesException e ->
                                e.getUnboundProperties().iterator().next().getName()
                                        + ": unknown property";
                        case IllegalArgumentException e -> found + " " + e.getMessage();
                        case BindException e -> e.getName() + ":";
                        default -> "";
                    };
            found = one.isEmpty() ? found : one;
        }
        return found;
    }
}
