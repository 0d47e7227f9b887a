package io.kubemirror;

import io.kubemirror.kube.KubeApi;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import java.util.LinkedHashMap;
import java.util.Map;

/** Starts the whole application on free ports, with an API server that is never there. */
final class Launch {

    private Launch() {}

    /** Starts it with settings such as {@code kubemirror.resources[0].resource=pods}. */
    static ConfigurableApplicationContext with(String... settings) {
        return with(Map.of(), settings);
    }

    /** Starts it with environment variables beside the settings. */
    static ConfigurableApplicationContext with(Map<String, Object> variables, String... settings) {
        SpringApplication application = new SpringApplication(KubeMirrorApplication.class);
        ConfigurableEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                variables));
        application.setEnvironment(environment);
        application.addInitializers(
                context ->
                        ((GenericApplicationContext) context)
                                .registerBean(KubeApi.class, AbsentApi::new));
        return application.run(arguments(settings));
    }

    private static String[] arguments(String... settings) {
        Map<String, String> chosen = new LinkedHashMap<>();
        chosen.put("server.port", "0");
        chosen.put("management.server.port", "0");
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            chosen.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return chosen.entrySet().stream()
                .map(setting -> "--" + setting.getKey() + "=" + setting.getValue())
                .toArray(String[]::new);
    }
}
