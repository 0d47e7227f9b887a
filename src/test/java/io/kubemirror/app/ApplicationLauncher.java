package io.kubemirror.app;

import module java.base;

import io.kubemirror.kube.TestCertificates;
import io.kubemirror.testing.ComponentResources;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.WaitLimit;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Starts the whole application on free ports, with an API server that cannot be reached. */
public final class ApplicationLauncher {

    /** Nothing listens on the port of tcpmux. */
    private static final String NOBODY = "http://127.0.0.1:1";

    private ApplicationLauncher() {}

    /** Starts it with settings such as {@code kubemirror.resources[0].resource=pods}. */
    public static ConfigurableApplicationContext with(String... settings) {
        return with(Map.of(), settings);
    }

    /** Starts it with the mirror of a resource of an API server, and further settings. */
    public static ConfigurableApplicationContext mirroring(
            URI server, String resource, String... settings) {
        String[] mirror = {
            "kubemirror.upstream.server=" + server, "kubemirror.resources[0].resource=" + resource
        };
        return with(and(mirror, settings));
    }

    /** Returns settings and further ones. */
    public static String[] and(String[] settings, String... further) {
        return Stream.of(settings, further).flatMap(Stream::of).toArray(String[]::new);
    }

    /** Starts it with TLS at the API port, and further settings. */
    public static ConfigurableApplicationContext secure(TestCertificates own, String... settings) {
        return with(and(tls(own), settings));
    }

    /** Returns the settings by which the API port serves TLS with a certificate. */
    public static String[] tls(TestCertificates own) {
        String store = "spring.ssl.bundle.pem.own.keystore.";
        return new String[] {
            "server.ssl.bundle=own",
            store + "certificate=" + Unchecked.call(own::certificatePem),
            store + "private-key=" + Unchecked.call(own::keyPem)
        };
    }

    /** Starts it with a bean that replaces those of its type. */
    public static <T> ConfigurableApplicationContext with(
            Class<T> type, T bean, String... settings) {
        SpringApplication application = application();
        application.addInitializers(
                (GenericApplicationContext context) ->
                        context.registerBean(
                                type, () -> bean, definition -> definition.setPrimary(true)));
        return with(application, Map.of(), settings);
    }

    /**
     * Starts it with nothing but files.
     *
     * @param location in the notation of {@code spring.config.location}
     */
    static ConfigurableApplicationContext fromFiles(String location) {
        return application().run("--spring.config.location=optional:classpath:/," + location);
    }

    /**
     * Returns the URL of a port.
     *
     * @param port {@code local.server.port} or {@code local.management.port}
     */
    public static URI url(ConfigurableApplicationContext application, String port) {
        return URI.create(
                "http://127.0.0.1:" + application.getEnvironment().getRequiredProperty(port));
    }

    /** Returns a client of the API. */
    public static RestClient api(ConfigurableApplicationContext application) {
        return RestClient.of(url(application, "local.server.port"));
    }

    /** Returns a client of the management port. */
    public static RestClient management(ConfigurableApplicationContext application) {
        return RestClient.of(url(application, "local.management.port"));
    }

    /** Returns the port of the API. */
    public static int port(ConfigurableApplicationContext application) {
        return url(application, "local.server.port").getPort();
    }

    /** Waits until all mirrors have content, and returns a client of the API. */
    public static RestClient ready(ConfigurableApplicationContext application) {
        RestClient management = management(application);
        WaitLimit.until(() -> management.get("/actuator/health/readiness").code() == 200);
        return api(application);
    }

    /** Starts it with environment variables beside the settings. */
    public static ConfigurableApplicationContext with(
            Map<String, Object> variables, String... settings) {
        return with(application(), variables, settings);
    }

    private static SpringApplication application() {
        return new SpringApplication(new ComponentResources(), KubeMirrorApplication.class);
    }

    private static ConfigurableApplicationContext with(
            SpringApplication application, Map<String, Object> variables, String... settings) {
        ConfigurableEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                variables));
        application.setEnvironment(environment);
        return application.run(arguments(settings));
    }

    private static String[] arguments(String... settings) {
        Map<String, String> chosen = new LinkedHashMap<>();
        chosen.put("server.port", "0");
        chosen.put("management.server.port", "0");
        chosen.put("kubemirror.upstream.server", NOBODY);
        // Nothing is spread over a time that a test would wait for.
        chosen.put("kubemirror.shutdown.watch-spread", "0");
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            chosen.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return chosen.entrySet().stream()
                .map(setting -> "--" + setting.getKey() + "=" + setting.getValue())
                .toArray(String[]::new);
    }
}
